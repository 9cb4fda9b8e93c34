import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Position } from '#platform/event-store/event-store.port.js';
import { createFolder } from '#platform/files/create-folder.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type CheckedCommit, CommitGroups } from '../commit-groups.js';
import {
  checkCollection,
  type CheckedList,
  checkKey,
  checkList,
  DELETIONS_REMEMBERED_MS,
  encodeCommit,
  type EncodedWrite,
  fencedOff,
} from '../read-store.checks.js';
import { ReadStoreError } from '../read-store.errors.js';
import {
  type Checkpoint,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from '../read-store.port.js';
import { Housekeeper } from './housekeeper.js';
import { prepareReadStore } from './read-store.schema.js';
import { prepareStatements, type Statements } from './read-store.statements.js';
import { whenFree } from './sqlite-errors.js';

export interface SqliteReadStoreOptions {
  /** A path; the file and its folders are made. Several processes may open it. */
  readonly file: string;
  /** Says when a deletion may be forgotten. */
  readonly clock?: Clock;
}

/** A read store that belongs to one installation on one machine. */
export interface EmbeddedReadStore extends ReadStore {
  /**
   * Forgets all documents and checkpoints if this checkpoint is still as it was read: of two
   * processes that start at once, the second does not clear what the first has built since.
   * @returns whether it did
   */
  clear(seen: Checkpoint): Promise<boolean>;
}

/** @throws ReadStoreError `store-unavailable`, or `store-unreadable` with the remedy */
export const openSqliteReadStore = async ({
  file,
  clock = systemClock,
}: SqliteReadStoreOptions): Promise<EmbeddedReadStore> => {
  await createFolder(path.dirname(file));
  return whenFree(file, () => {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      prepareReadStore(database, file);
      return new SqliteReadStore(file, database, clock);
    } catch (error) {
      database.close();
      throw error;
    }
  });
};

/** Of one transaction: it runs on the thread that calls, and takes 8 microseconds for each. */
const WRITES_PER_GROUP = 2_000;

interface Row {
  readonly key: string;
  readonly position: bigint;
  readonly document: string;
}

/**
 * Runs on the thread that calls; only what fsyncs runs elsewhere. The commits of one turn of the
 * event loop are one transaction. A commit of 1, 10, 100 documents
 * of 400 bytes takes about 20, 90, 760 microseconds (two cores, 100,000 documents). Handing it to a
 * writer thread would still cost this thread about 40, 45, 120, every commit 100 more of waiting,
 * and the machine up to twice the work.
 */
class SqliteReadStore implements EmbeddedReadStore {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #clock: Clock;
  readonly #housekeeper: Housekeeper;
  readonly #commits = new CommitGroups((group) => this.#commit(group), WRITES_PER_GROUP);
  #closing: Promise<void> | null = null;

  constructor(file: string, database: DatabaseSync, clock: Clock) {
    this.#file = file;
    this.#database = database;
    this.#statements = prepareStatements(database);
    this.#clock = clock;
    this.#housekeeper = new Housekeeper(file);
    // A process that ended while it cleared away.
    if (this.#statements.anyDropped.get()) this.#housekeeper.dropped();
  }

  async get<Document extends object>(
    collection: string,
    key: string,
  ): Promise<StoredDocument<Document> | undefined> {
    checkCollection(collection);
    checkKey(key);
    const row = await this.#run(() => this.#statements.get.get(collection, key));
    return row && revive<Document>(row);
  }

  async list<Document extends object>(
    collection: string,
    options: ListOptions = {},
  ): Promise<readonly StoredDocument<Document>[]> {
    checkCollection(collection);
    const checked = checkList(options);
    const { direction, limit, offset } = checked;
    const parameters = { ...rangeOf(collection, checked), limit, offset };
    const rows = await this.#run(() => this.#statements[direction].all(parameters));
    return rows.map((row) => revive<Document>(row));
  }

  async count(collection: string, prefix = ''): Promise<number> {
    checkCollection(collection);
    const range = rangeOf(collection, checkList({ prefix }));
    return Number(await this.#run(() => this.#statements.count.get(range)?.['count']));
  }

  async commit(commit: ReadStoreCommit): Promise<void> {
    const writes = encodeCommit(commit);
    return this.#commits.add({ writes, checkpoint: commit.checkpoint });
  }

  async checkpoint(name: string): Promise<Position | undefined> {
    checkKey(name);
    const row = await this.#run(() => this.#statements.checkpoint.get(name));
    return row?.['position'] as bigint | undefined;
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    const rows = await this.#run(() => this.#statements.checkpoints.all());
    return rows as unknown as readonly Checkpoint[];
  }

  async clear({ name, position, event }: Checkpoint): Promise<boolean> {
    const cleared = await this.#transact(() => {
      const { sameCheckpoint, dropAll, clearCollections, clearCheckpoints } = this.#statements;
      if (!sameCheckpoint.get(name, position, event)) return false;
      dropAll.run();
      clearCollections.run();
      clearCheckpoints.run();
      return true;
    });
    if (cleared) this.#housekeeper.dropped();
    return cleared;
  }

  async drop(collection: string, checkpoint: string): Promise<void> {
    checkCollection(collection);
    checkKey(checkpoint);
    const dropped = await this.#transact(() => {
      this.#statements.dropCheckpoint.run(checkpoint);
      const row = this.#statements.dropCollection.get(collection);
      if (row) this.#statements.addDropped.run(row['id'] ?? null);
      return row !== undefined;
    });
    if (dropped) this.#housekeeper.dropped();
  }

  close(): Promise<void> {
    if (!this.#closing) this.#commits.flush();
    this.#closing ??= this.#housekeeper.close().then(() => this.#database.close());
    return this.#closing;
  }

  async #commit(group: readonly CheckedCommit[]): Promise<readonly (Error | null)[]> {
    const outcomes = await this.#transact(() => group.map((commit) => this.#apply(commit)));
    let written = 0;
    let deletions = 0;
    for (const [index, { writes }] of group.entries()) {
      if (outcomes[index] !== null) continue;
      written += writes.length;
      for (const { json } of writes) if (json === null) deletions += 1;
    }
    const forgetBeforeMs = this.#clock.now() - DELETIONS_REMEMBERED_MS;
    this.#housekeeper.committed(written, deletions, forgetBeforeMs);
    return outcomes;
  }

  /** @returns why nothing of it was written, or null */
  #apply({ writes, checkpoint }: CheckedCommit): Error | null {
    const rejection = checkpoint && this.#rejectionOf(checkpoint);
    if (rejection) return rejection;
    this.#write(writes);
    if (!checkpoint) return null;
    const { name, position, fence = null, event = null } = checkpoint;
    this.#statements.setCheckpoint.run(name, position, fence, event);
    return null;
  }

  #rejectionOf(checkpoint: NonNullable<ReadStoreCommit['checkpoint']>): Error | null {
    if (checkpoint.fence === undefined) return null;
    const saved = this.#statements.fence.get(checkpoint.name)?.['fence'];
    return fencedOff(checkpoint, saved as bigint | null | undefined);
  }

  #write(writes: readonly EncodedWrite[]): void {
    const nowMs = Math.trunc(this.#clock.now());
    const { write } = this.#statements;
    let name: string | undefined;
    let id = 0n;
    for (const { collection, key, position, json } of writes) {
      // Most commits are of one collection.
      if (collection !== name) id = this.#collectionId(collection);
      name = collection;
      write.run(id, key, position, json, json === null ? nowMs : null);
    }
  }

  /** Looked up in each transaction: another process may have dropped the collection meanwhile. */
  #collectionId(name: string): bigint {
    const { collection, addCollection } = this.#statements;
    const row = collection.get(name) ?? addCollection.get(name);
    return row?.['id'] as bigint;
  }

  #transact<Result>(work: () => Result): Promise<Result> {
    const { begin, commit, rollback } = this.#statements;
    return this.#run(() => {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        // SQLite has rolled back by itself where the disk was full or failed.
        if (this.#database.isTransaction) rollback.run();
        throw error;
      }
    });
  }

  #run<Result>(operation: () => Result): Promise<Result> {
    return whenFree(this.#file, () => {
      if (this.#closing) throw new ReadStoreError('store-unavailable', `${this.#file} is closed`);
      return operation();
    });
  }
}

const revive = <Document>(row: Record<string, unknown>): StoredDocument<Document> => {
  const { key, position, document } = row as unknown as Row;
  return { key, position, document: JSON.parse(document) as Document };
};

/** Sorts after every text. */
const NO_END = new Uint8Array();

const rangeOf = (collection: string, { atOrAfter, before }: CheckedList) => ({
  collection,
  prefix: atOrAfter[0],
  from: atOrAfter[1],
  prefixEnd: before[0] ?? NO_END,
  before: before[1] ?? NO_END,
});
