import { type Collection, type Db, type Filter } from 'mongodb';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { orUnavailable } from '#platform/mongodb/mongo-failure.js';
import {
  checkCollection,
  checkKey,
  checkList,
  encodeCommit,
  type EncodedWrite,
  expectNotFenced,
  type KeyRange,
} from '../read-store.checks.js';
import { ReadStoreError } from '../read-store.errors.js';
import {
  type Checkpoint,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from '../read-store.port.js';
import { Deletions } from './deletions.js';
import { documentOf, type DocumentRow, rowOf } from './document-row.js';
import { writeGuarded } from './guarded-writes.js';

export interface MongoReadStoreOptions {
  /** Stays open when the store is closed: its opener closes it. */
  readonly database: MongoDatabase;
  /** Says when a deletion may be forgotten. */
  readonly clock?: Clock;
}

/** @throws ReadStoreError `store-unavailable` */
export const openMongoReadStore = async ({
  database: { db },
  clock = systemClock,
}: MongoReadStoreOptions): Promise<ReadStore> => {
  const deletions = await asUnavailable(Deletions.open(db, clock.now()));
  return new MongoReadStore(db, clock, deletions);
};

interface CheckpointRow {
  readonly _id: string;
  readonly position: bigint;
  readonly fence?: bigint;
  readonly event?: string;
}

/**
 * Every write is one of a single document, guarded by that document's position, so no transactions
 * are needed. A commit is one command for each fifty documents of a collection, then one for the
 * checkpoint; under a fencing token, one more before them.
 */
class MongoReadStore implements ReadStore {
  readonly #checkpoints: Collection<CheckpointRow>;
  #closed = false;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly deletions: Deletions,
  ) {
    this.#checkpoints = db.collection<CheckpointRow>('checkpoints');
  }

  async get<Document extends object>(
    collection: string,
    key: string,
  ): Promise<StoredDocument<Document> | undefined> {
    checkCollection(collection);
    checkKey(key);
    const row = await this.#run(() => this.#rows(collection).findOne({ _id: key }));
    return row ? documentOf<Document>(row) : undefined;
  }

  async list<Document extends object>(
    collection: string,
    options: ListOptions = {},
  ): Promise<readonly StoredDocument<Document>[]> {
    checkCollection(collection);
    const checked = checkList(options);
    const { direction, limit, offset } = checked;
    const rows = await this.#run(() =>
      this.#rows(collection)
        .find(aliveIn(checked), { limit, skip: offset, batchSize: limit })
        .sort({ _id: direction === 'forwards' ? 1 : -1 })
        .toArray(),
    );
    const documents = await Promise.all(rows.map((row) => documentOf<Document>(row)));
    return documents.filter((document) => document !== undefined);
  }

  async count(collection: string, prefix = ''): Promise<number> {
    checkCollection(collection);
    const alive = aliveIn(checkList({ prefix }));
    return this.#run(() => this.#rows(collection).countDocuments(alive));
  }

  async commit(commit: ReadStoreCommit): Promise<void> {
    const writes = encodeCommit(commit);
    const { checkpoint } = commit;
    await this.#run(async () => {
      if (checkpoint?.fence !== undefined) await this.#expectNotFenced(checkpoint);
      const byCollection = Map.groupBy(writes, ({ collection }) => collection);
      await Promise.all([...byCollection].map(([name, its]) => this.#write(name, its)));
      if (!checkpoint) return;
      const { name, position, fence, event } = checkpoint;
      const reached = { position, ...(fence !== undefined && { fence }) };
      const update = { $max: reached, ...(event !== undefined && { $set: { event } }) };
      await this.#checkpoints.updateOne({ _id: name }, update, { upsert: true });
    });
  }

  async checkpoint(name: string): Promise<Position | undefined> {
    checkKey(name);
    return (await this.#run(() => this.#checkpoints.findOne({ _id: name })))?.position;
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    const rows = await this.#run(() => this.#checkpoints.find().toArray());
    return rows.map(({ _id: name, position, event = null }) => ({ name, position, event }));
  }

  async drop(collection: string, checkpoint: string): Promise<void> {
    checkCollection(collection);
    checkKey(checkpoint);
    await this.#run(async () => {
      // First, so that it never stands for documents that are gone.
      await this.#checkpoints.deleteOne({ _id: checkpoint });
      await this.#rows(collection).drop();
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.deletions.close();
  }

  #rows(collection: string): Collection<DocumentRow> {
    return this.db.collection<DocumentRow>(collectionNameOf(collection));
  }

  async #expectNotFenced(checkpoint: NonNullable<ReadStoreCommit['checkpoint']>): Promise<void> {
    const saved = await this.#checkpoints.findOne({ _id: checkpoint.name });
    expectNotFenced(checkpoint, saved?.fence);
  }

  async #write(collection: string, writes: readonly EncodedWrite[]): Promise<void> {
    const nowMs = this.clock.now();
    const last = lastOfEachKey(writes);
    const rows = await Promise.all(last.map((write) => rowOf(write, nowMs)));
    const deleted = last.filter(({ json }) => json === null).map(({ key }) => key);
    await this.deletions.note(collectionNameOf(collection), deleted, nowMs);
    await writeGuarded(this.#rows(collection), rows);
  }

  #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.#closed) {
      return Promise.reject(new ReadStoreError('store-unavailable', 'the read store is closed'));
    }
    return asUnavailable(operation());
  }
}

const asUnavailable = <Result>(operation: Promise<Result>): Promise<Result> =>
  orUnavailable(
    operation,
    (detail, options) => new ReadStoreError('store-unavailable', detail, options),
  );

/**
 * Apart from the collections of others, and from names that MongoDB keeps for itself or rejects:
 * `system.…`, and a dot at the end or beside another. No name of the port has an underscore.
 */
const collectionNameOf = (collection: string): string => `view_${collection.replaceAll('.', '_')}`;

/** What is left of writes in order: for each key the first of those with the highest position. */
const lastOfEachKey = (writes: readonly EncodedWrite[]): readonly EncodedWrite[] => {
  const last = new Map<string, EncodedWrite>();
  for (const write of writes) {
    const before = last.get(write.key);
    if (!before || write.position > before.position) last.set(write.key, write);
  }
  return [...last.values()];
};

const aliveIn = ({ atOrAfter, before }: KeyRange): Filter<DocumentRow> => {
  const from = atOrAfter.reduce((one, other) => (byBytes(one, other) > 0 ? one : other));
  const [end = null] = before.filter((bound) => bound !== null).sort(byBytes);
  return {
    _id: { $gte: from, ...(end !== null && { $lt: end }) },
    deletedAt: { $exists: false },
  };
};

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
