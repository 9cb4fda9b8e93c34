import { randomUUID } from 'node:crypto';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';

/** One build of a projection's documents; a higher number is a later build, of whatever version. */
export interface Generation {
  readonly version: number;
  readonly generation: number;
}

/** Says which generation serves. */
interface Pointer extends Generation {
  /** What served before; it may still be there. */
  readonly replaced: Generation | null;
}

interface Claim {
  readonly generation: number;
  readonly claimant: string;
}

const POINTERS = 'projections';
const CLAIMED = '/claimed';
const claimKey = (name: string): string => name + CLAIMED;

/** The collection of a generation, and the name of its checkpoint. */
export const collectionOf = (name: string, { version, generation }: Generation): string =>
  `${name}.v${version}.g${generation}`;

/**
 * Which generation of each projection serves and which numbers are taken, in the read store, where
 * every process sees it. No event stands behind these documents: the generation's number stands in
 * for the position that guards them, so an older generation never takes the place of a newer one.
 */
export class Generations {
  constructor(private readonly readStore: ReadStore) {}

  async serving(name: string): Promise<Pointer | undefined> {
    return (await this.readStore.get<Pointer>(POINTERS, name))?.document;
  }

  /** Of every projection that has one, in one look. */
  async allServing(): Promise<ReadonlyMap<string, Pointer>> {
    const found = await this.readStore.list<Pointer>(POINTERS);
    const pointers = found.filter(({ key }) => !key.endsWith(CLAIMED));
    return new Map(pointers.map(({ key, document }) => [key, document]));
  }

  async serve(name: string, generation: Generation, replaced: Generation | null): Promise<void> {
    const document: Pointer = { ...generation, replaced };
    const position = BigInt(generation.generation);
    await this.readStore.commit({
      writes: [{ collection: POINTERS, key: name, document, position }],
    });
  }

  /**
   * Where a version that does not serve yet is built. Every process finds the same one, so a build
   * that was interrupted goes on, and processes that start together build it together.
   */
  async first({ name, version }: AnyProjection): Promise<Generation> {
    return { version, generation: await this.#next(name) };
  }

  /** A generation of the caller's own: two rebuilds at once do not write into each other's. */
  async claim(projection: AnyProjection): Promise<Generation> {
    const { name, version } = projection;
    const key = claimKey(name);
    const claimant = randomUUID();
    for (;;) {
      const serving = await this.serving(name);
      const next = await this.#next(name);
      // The first build of a version may be under way at that number.
      const generation = serving?.version === version ? next : next + 1;
      const document: Claim = { generation, claimant };
      const position = BigInt(generation);
      await this.readStore.commit({ writes: [{ collection: POINTERS, key, document, position }] });
      if ((await this.#claimed(name))?.claimant === claimant) return { version, generation };
    }
  }

  async drop(name: string, generation: Generation): Promise<void> {
    const collection = collectionOf(name, generation);
    await this.readStore.drop(collection, collection);
  }

  async #claimed(name: string): Promise<Claim | undefined> {
    return (await this.readStore.get<Claim>(POINTERS, claimKey(name)))?.document;
  }

  async #next(name: string): Promise<number> {
    const [serving, claimed] = await Promise.all([this.serving(name), this.#claimed(name)]);
    return Math.max(serving?.generation ?? 0, claimed?.generation ?? 0) + 1;
  }
}
