import { randomUUID } from 'node:crypto';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { dropHistory } from '../history/document-history.js';

/** One build of a projection's documents; a higher number is a later build, of any version. */
export interface Generation {
  readonly version: number;
  readonly generation: number;
}

/** Says which generation serves. */
export interface Pointer extends Generation {
  /** The generation that served before; its documents may still exist. */
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
 * Which generation of each projection serves, and which numbers are taken. Kept in the read store,
 * which all processes share. No event causes these documents, so the number of the generation is
 * the position that guards them: an older generation never replaces a newer one.
 */
export class Generations {
  constructor(private readonly readStore: ReadStore) {}

  async serving(name: string): Promise<Pointer | undefined> {
    return (await this.readStore.get<Pointer>(POINTERS, name))?.document;
  }

  /** The pointers of all projections, in one read. */
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
   * The generation in which a version is built that does not serve yet. Every process finds the
   * same one, so an interrupted build continues, and processes that start together build it
   * together.
   */
  async first({ name, version }: AnyProjection): Promise<Generation> {
    return { version, generation: await this.#next(name) };
  }

  /** A generation of the caller's own: two rebuilds at once do not write to the same collection. */
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
    await dropHistory(this.readStore, collection);
  }

  async #claimed(name: string): Promise<Claim | undefined> {
    return (await this.readStore.get<Claim>(POINTERS, claimKey(name)))?.document;
  }

  async #next(name: string): Promise<number> {
    const [serving, claimed] = await Promise.all([this.serving(name), this.#claimed(name)]);
    return Math.max(serving?.generation ?? 0, claimed?.generation ?? 0) + 1;
  }
}
