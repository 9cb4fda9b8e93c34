import { type Collection } from 'mongodb';
import { DURABLE, type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { isDuplicateKey, orUnavailable } from '#platform/mongodb/mongo-failure.js';
import {
  CheckpointStore,
  CheckpointStoreError,
  demandGrowth,
  type PublishedCheckpoint,
} from '../checkpoint-store.port.js';

interface CheckpointRow {
  readonly _id: 'published';
  /** Decimal: integers that MongoDB calls long are bigints here. */
  readonly size: string;
  readonly note: string;
}

const ID = 'published';

/** For a fleet: every write is in the journal of a majority before it is acknowledged. */
export class MongoCheckpointStore extends CheckpointStore {
  readonly #rows: Collection<CheckpointRow>;

  /** The database stays open when the store is closed: its opener closes it. */
  constructor({ db }: MongoDatabase) {
    super();
    this.#rows = db.collection<CheckpointRow>('auditCheckpoints', DURABLE);
  }

  async last(): Promise<PublishedCheckpoint | undefined> {
    const row = await asUnavailable(this.#rows.findOne({ _id: ID }));
    return row ? { size: Number(row.size), note: row.note } : undefined;
  }

  async replace(
    known: PublishedCheckpoint | undefined,
    next: PublishedCheckpoint,
  ): Promise<boolean> {
    demandGrowth(known, next);
    const row = { size: String(next.size), note: next.note };
    if (!known) return this.#insert({ _id: ID, ...row });
    const of = { _id: ID, note: known.note } as const;
    const { matchedCount } = await asUnavailable(this.#rows.updateOne(of, { $set: row }));
    return matchedCount === 1;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #insert(row: CheckpointRow): Promise<boolean> {
    const inserted = this.#rows.insertOne(row).then(
      () => true,
      (error: unknown) => {
        if (isDuplicateKey(error)) return false;
        throw error;
      },
    );
    return asUnavailable(inserted);
  }
}

const asUnavailable = <Result>(operation: Promise<Result>): Promise<Result> =>
  orUnavailable(operation, (detail, options) => new CheckpointStoreError(detail, options));
