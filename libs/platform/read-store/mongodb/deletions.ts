import { type Collection, type Db, type ObjectId } from 'mongodb';
import { DELETIONS_REMEMBERED_MS } from '../read-store.checks.js';
import { type DocumentRow } from './document-row.js';

/**
 * A document that is to be deleted for good: with this list, collections need no index of their
 * deletions.
 */
interface Deletion {
  readonly collection: string;
  readonly key: string;
  readonly at: Date;
}

const DELETIONS_PER_SLICE = 500;

/** Rows that remember where a document was deleted, of all collections. */
export class Deletions {
  readonly #deletions: Collection<Deletion>;
  #sweptAtMs: number;
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(
    private readonly db: Db,
    nowMs: number,
  ) {
    this.#deletions = db.collection<Deletion>('deletions');
    this.#sweptAtMs = nowMs;
  }

  static async open(db: Db, nowMs: number): Promise<Deletions> {
    const deletions = new Deletions(db, nowMs);
    await deletions.#deletions.createIndex({ at: 1 }, {}, {});
    return deletions;
  }

  /** Before the rows are written: one that is not noted would stay for ever. */
  async note(collection: string, keys: readonly string[], nowMs: number): Promise<void> {
    if (keys.length === 0) return;
    const at = new Date(nowMs);
    await this.#deletions.insertMany(keys.map((key) => ({ collection, key, at })));
    this.#sweepWhenDue(nowMs);
  }

  /** Waits for the current sweep. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#sweeping;
  }

  #sweepWhenDue(nowMs: number): void {
    if (nowMs - this.#sweptAtMs <= DELETIONS_REMEMBERED_MS) return;
    this.#sweptAtMs = nowMs;
    const before = new Date(nowMs - DELETIONS_REMEMBERED_MS);
    // A failed deletion is left for the next sweep, of this process or of another.
    this.#sweeping = this.#sweeping.then(() => this.#sweep(before)).catch(() => undefined);
  }

  async #sweep(before: Date): Promise<void> {
    for (let found = DELETIONS_PER_SLICE; !this.#closed && found === DELETIONS_PER_SLICE;) {
      const slice = await this.#deletions
        .find({ at: { $lt: before } })
        .limit(DELETIONS_PER_SLICE)
        .toArray();
      found = slice.length;
      if (found > 0) await this.#clear(slice, before);
    }
  }

  async #clear(
    slice: readonly (Deletion & { readonly _id: ObjectId })[],
    before: Date,
  ): Promise<void> {
    const byCollection = Map.groupBy(slice, ({ collection }) => collection);
    for (const [collection, deletions] of byCollection) {
      const keys = deletions.map(({ key }) => key);
      // A document that is back, or was deleted again since, is left alone.
      const filter = { _id: { $in: keys }, deletedAt: { $lt: before } };
      await this.db.collection<DocumentRow>(collection).deleteMany(filter);
    }
    await this.#deletions.deleteMany({ _id: { $in: slice.map(({ _id }) => _id) } });
  }
}
