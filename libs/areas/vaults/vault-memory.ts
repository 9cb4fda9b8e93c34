import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { decodeVectors } from './document-content.js';
import { textOf } from './marking.js';
import { StoredVaults } from './stored-vaults.js';
import { type VaultDocument } from './vault.decider.js';
import { VaultFailure } from './vaults.failures.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';
import {
  type OpenVectors,
  openVectors,
  type VectorAnswer,
  VectorsError,
} from './vectors.engine.js';

/** Documents of one marking in one vault: searched together or not at all. */
interface Partition {
  readonly name: string;
  readonly vaultId: string;
  readonly marking: string;
  documents: ReadonlySet<string>;
  bytes: number;
  lastUsedMs: number;
  /** Searches and loads of it that are under way. */
  uses: number;
  /** The last load: loads of one partition follow each other. */
  loaded: Promise<void>;
}

interface SearchedDocuments {
  readonly documents: readonly VaultDocument[];
  readonly isPart: boolean;
}

const FLOAT_BYTES = 4;
/** Documents that are sent to the thread at once. */
const DOCUMENTS_AT_ONCE = 16;

/**
 * The vectors of this process, by vault and marking. A search loads what it may see and the log
 * has, so each gateway has its own copy, and none is written to a disk. What a search may not see
 * is neither loaded nor looked at, so its time does not depend on it.
 */
@Injectable()
export class VaultMemory implements OnApplicationShutdown {
  readonly #partitions = new Map<string, Partition>();
  #engine: Promise<OpenVectors> | null = null;
  #generation = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(
    private readonly vaults: StoredVaults,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of the vectors in memory. */
  get bytes(): number {
    return this.#partitions.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * @param documents of the vault, as far as the caller may see them: they name the markings
   * @param isPart whether the caller may see others too, which are then left out
   * @throws VaultFailure; BlobError
   */
  async search(
    vaultId: string,
    { documents, isPart }: SearchedDocuments,
    query: Float32Array,
    top: number,
  ): Promise<VectorAnswer> {
    const engine = await this.#open();
    const markings = [...new Set(documents.map(({ marking }) => textOf(marking)))];
    const used = markings.map((marking) => this.#use(vaultId, marking));
    try {
      for (const partition of used) await this.#load(engine, partition);
      const partitions = used.map(({ name }) => name);
      const only = new Set(documents.map(({ documentId }) => documentId));
      return await engine.search({ partitions, query, top, ...(isPart && { only }) });
    } catch (error) {
      if (error instanceof VectorsError) {
        throw new VaultFailure('away', 'the vectors must be loaded again', { cause: error });
      }
      throw error;
    } finally {
      for (const partition of used) partition.uses -= 1;
    }
  }

  /** Drops the vectors of an erased vault. Other processes drop them once they are idle. */
  async forget(erasedId: string): Promise<void> {
    for (const partition of [...this.#partitions.values()]) {
      if (partition.vaultId === erasedId) await this.#drop(partition);
    }
  }

  /** Drops what no search has used for a while; by a timer. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - this.settings.idleMs;
    for (const partition of [...this.#partitions.values()]) {
      if (partition.uses === 0 && partition.lastUsedMs < before) await this.#drop(partition);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#sweeper) clearInterval(this.#sweeper);
    if (this.#engine) await (await this.#engine).close();
  }

  async #open(): Promise<OpenVectors> {
    this.#engine ??= openVectors(this.settings.exactRowsMax);
    const engine = await this.#engine;
    // A thread that failed is replaced, and the new one is empty.
    if (engine.generation !== this.#generation) this.#partitions.clear();
    this.#generation = engine.generation;
    this.#sweeper ??= setInterval(() => void this.sweep(), this.settings.idleMs / 2).unref();
    return engine;
  }

  #use(vaultId: string, marking: string): Partition {
    const name = nameOf(vaultId, marking);
    const known = this.#partitions.get(name);
    const partition: Partition = known ?? {
      ...{ name, vaultId, marking, documents: new Set() },
      ...{ bytes: 0, lastUsedMs: 0, uses: 0, loaded: Promise.resolve() },
    };
    this.#partitions.set(name, partition);
    partition.lastUsedMs = this.clock.now();
    partition.uses += 1;
    return partition;
  }

  #load(engine: OpenVectors, partition: Partition): Promise<void> {
    const load = () => this.#loadNow(engine, partition);
    partition.loaded = partition.loaded.then(load, load);
    return partition.loaded;
  }

  /** By the state of now: loads follow each other, so none undoes a later one. */
  async #loadNow(engine: OpenVectors, partition: Partition): Promise<void> {
    const { name, vaultId, marking } = partition;
    const state = await this.vaults.stateOf(vaultId);
    if (state.status === 'absent') return;
    const { dimensions } = state.vault;
    const documents = [...state.documents.values()].filter(
      (document) => textOf(document.marking) === marking,
    );
    const wanted = new Set(documents.map(({ documentId }) => documentId));
    const missing = documents.filter(({ documentId }) => !partition.documents.has(documentId));
    const remove = [...partition.documents].filter((documentId) => !wanted.has(documentId));
    if (remove.length > 0) await engine.change({ partition: name, dimensions, add: [], remove });
    partition.documents = partition.documents.intersection(wanted);
    const bytesOf = (some: readonly VaultDocument[]): number =>
      some.reduce((sum, { chunks }) => sum + chunks * dimensions * FLOAT_BYTES, 0);
    await this.#makeRoom(bytesOf(missing));
    partition.bytes = bytesOf(documents);
    for (let from = 0; from < missing.length; from += DOCUMENTS_AT_ONCE) {
      const some = missing.slice(from, from + DOCUMENTS_AT_ONCE);
      const add = await Promise.all(some.map((document) => this.#read(vaultId, document)));
      await engine.change({ partition: name, dimensions, add, remove: [] });
      partition.documents = partition.documents.union(new Set(add.map(({ document }) => document)));
    }
  }

  async #read(vaultId: string, document: VaultDocument) {
    const vectors = decodeVectors(await this.vaults.vectors(vaultId, document));
    return { document: document.documentId, vectors };
  }

  /** @throws VaultFailure `full` */
  async #makeRoom(bytes: number): Promise<void> {
    const { memoryBytesMax } = this.settings;
    const idle = [...this.#partitions.values()]
      .filter(({ uses }) => uses === 0)
      .sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    for (const partition of idle) {
      if (this.bytes + bytes <= memoryBytesMax) return;
      await this.#drop(partition);
    }
    if (this.bytes + bytes > memoryBytesMax) {
      throw new VaultFailure('full', 'the vectors of this vault do not fit in memory now');
    }
  }

  async #drop(partition: Partition): Promise<void> {
    this.#partitions.delete(partition.name);
    if (!this.#engine) return;
    // A thread that has ended has nothing to drop.
    await (await this.#engine).drop(partition.name).catch(() => undefined);
  }
}

const nameOf = (vaultId: string, marking: string): string => `${vaultId} ${marking}`;
