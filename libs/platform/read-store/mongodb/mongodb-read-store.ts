import { type AnyBulkWriteOperation, type Collection, type Db, type Filter } from 'mongodb';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { orUnavailable } from '#platform/mongodb/mongo-failure.js';
import { type CheckedCommit, CommitGroups } from '../commit-groups.js';
import {
  checkCollection,
  checkKey,
  checkList,
  encodeCommit,
  type EncodedWrite,
  fencedOff,
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

type Rejections = readonly (ReadStoreError | null)[];

/** FerretDB keeps a connection for each update of a command, as in `guarded-writes.ts`. */
const CHECKPOINTS_PER_COMMAND = 50;

/**
 * Every write is one of a single document, guarded by that document's position, so no transactions
 * are needed. Commits that come together are one group: a read of the fences under which they are
 * made, the documents of all collections at once, then one command for fifty checkpoints.
 */
class MongoReadStore implements ReadStore {
  readonly #checkpoints: Collection<CheckpointRow>;
  readonly #commits = new CommitGroups((group) => this.#run(() => this.#commit(group)));
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
    return this.#commits.add({ writes, checkpoint: commit.checkpoint });
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
      // First, so that no checkpoint is stored for documents that are gone.
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

  async #commit(group: readonly CheckedCommit[]): Promise<Rejections> {
    const rejections = await this.#rejectionsOf(group);
    const accepted = group.filter((_, index) => rejections[index] === null);
    const writes = accepted.flatMap((commit) => commit.writes);
    const byCollection = Map.groupBy(writes, ({ collection }) => collection);
    await Promise.all([...byCollection].map(([name, its]) => this.#write(name, its)));
    const updates = accepted.flatMap(({ checkpoint }) =>
      checkpoint ? [updateOf(checkpoint)] : [],
    );
    for (let from = 0; from < updates.length; from += CHECKPOINTS_PER_COMMAND) {
      await this.#checkpoints.bulkWrite(updates.slice(from, from + CHECKPOINTS_PER_COMMAND));
    }
    return rejections;
  }

  /** For each commit: why it is fenced off, or null. */
  async #rejectionsOf(group: readonly CheckedCommit[]): Promise<Rejections> {
    const names = group.flatMap(({ checkpoint }) =>
      checkpoint?.fence === undefined ? [] : [checkpoint.name],
    );
    if (names.length === 0) return group.map(() => null);
    const saved = await this.#checkpoints.find({ _id: { $in: names } }).toArray();
    const fences = new Map(saved.map(({ _id, fence }) => [_id, fence]));
    return group.map(({ checkpoint }) =>
      checkpoint ? fencedOff(checkpoint, fences.get(checkpoint.name)) : null,
    );
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

const updateOf = ({
  name,
  position,
  fence,
  event,
}: NonNullable<ReadStoreCommit['checkpoint']>): AnyBulkWriteOperation<CheckpointRow> => {
  const reached = { position, ...(fence !== undefined && { fence }) };
  const update = { $max: reached, ...(event !== undefined && { $set: { event } }) };
  return { updateOne: { filter: { _id: name }, update, upsert: true } };
};

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

/** For each key the first of the writes with the highest position. */
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
