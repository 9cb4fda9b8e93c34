import { Binary, type Collection, type Filter } from 'mongodb';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { DURABLE, insertIfAbsent, type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { orUnavailable } from '#platform/mongodb/mongo-failure.js';
import {
  type AnswerEntries,
  type RequestAttemptRef,
  type EntryState,
  type FoundEntry,
  type NewEntry,
  type SeenAttempt,
  type SeenEntry,
} from '../answer-entries.port.js';
import { type AnsweredLog, NO_LOG } from '../answered-log.port.js';
import { AnswerStoreError } from '../answer-store.errors.js';
import { ANSWER_TIMES, type AnswerStore, type AnswerTimes } from '../answer-store.port.js';
import { DurableAnswerStore } from '../durable-answer-store.js';

export interface MongoAnswerStoreOptions {
  /** Stays open when the store is closed: it belongs to its opener. */
  readonly database: MongoDatabase;
  /**
   * 32 bytes, the same for every process that opens the database. Under another one it is empty.
   */
  readonly encryptionKey: Uint8Array;
  readonly clock?: Clock;
  readonly times?: AnswerTimes;
  /** Default: answers rest on no log. */
  readonly log?: AnsweredLog;
}

/** @throws AnswerStoreError `store-unavailable` */
export const openMongoAnswerStore = async ({
  database: { db },
  encryptionKey,
  clock = systemClock,
  times = ANSWER_TIMES,
  log = NO_LOG,
}: MongoAnswerStoreOptions): Promise<AnswerStore> => {
  const collection = db.collection<Document>('answers', DURABLE);
  await asUnavailable(collection.createIndex({ expiresAt: 1 }, {}, {}));
  const entries = new MongoAnswerEntries(collection);
  return new DurableAnswerStore({ entries, encryptionKey, clock, times, log });
};

/** Instants are the clock's of the process that wrote them. */
interface Document {
  /** The hash of scope and key in base64url, so that it can be read and typed. */
  readonly _id: string;
  readonly fingerprint: Binary;
  readonly state: EntryState['state'];
  readonly attempt: string;
  readonly firstAttempt: string;
  readonly leaseEndsAt: Date;
  readonly expiresAt: Date;
  /** Of a kept answer alone. */
  readonly sealed?: Binary;
}

const idOf = ({ keyHash }: Pick<RequestAttemptRef, 'keyHash'>): string =>
  Buffer.from(keyHash).toString('base64url');

const documentOf = ({ attempt, firstAttempt, ...entry }: NewEntry): Document => ({
  _id: idOf(entry),
  fingerprint: new Binary(entry.fingerprint),
  state: 'running',
  attempt,
  firstAttempt,
  leaseEndsAt: new Date(entry.leaseEndsAtMs),
  expiresAt: new Date(entry.expiresAtMs),
});

const entryOf = ({ attempt, firstAttempt, ...document }: Document): FoundEntry => {
  const { state, sealed } = document;
  return {
    fingerprint: document.fingerprint.value(),
    attempt,
    firstAttempt,
    leaseEndsAtMs: document.leaseEndsAt.getTime(),
    expiresAtMs: document.expiresAt.getTime(),
    isOrphan: false,
    ...(state === 'kept' ? { state, sealed: sealed?.value() ?? new Uint8Array() } : { state }),
  };
};

/** Finds the document as long as nothing has changed in it. */
const unchanged = ({ leaseEndsAtMs, expiresAtMs, ...seen }: SeenAttempt) => ({
  _id: idOf(seen),
  attempt: seen.attempt,
  leaseEndsAt: new Date(leaseEndsAtMs),
  expiresAt: new Date(expiresAtMs),
});

class MongoAnswerEntries implements AnswerEntries {
  constructor(private readonly collection: Collection<Document>) {}

  async start(
    entry: NewEntry,
    instead: SeenEntry | null,
    nowMs: number,
  ): Promise<FoundEntry | null> {
    const document = documentOf(entry);
    const asSeen = instead && { ...unchanged(instead), state: instead.state };
    if (asSeen && (await this.#replace(asSeen, document))) return null;
    for (;;) {
      const insertion = insertIfAbsent(this.collection.insertOne(document));
      if (await asUnavailable(insertion)) return null;
      const found = await asUnavailable(this.collection.findOne({ _id: document._id }));
      // Removed between the two: the key is free after all.
      if (!found) continue;
      const standing = entryOf(found);
      if (standing.expiresAtMs > nowMs) return standing;
      if (await this.#replace(unchanged({ ...standing, keyHash: entry.keyHash }), document)) {
        return null;
      }
    }
  }

  async markCharged(seen: SeenAttempt): Promise<boolean> {
    const charged = { $set: { state: 'charged' } } as const;
    const running = { ...unchanged(seen), state: 'running' } as const;
    const { matchedCount } = await asUnavailable(this.collection.updateOne(running, charged));
    return matchedCount === 1;
  }

  async keep(
    ref: RequestAttemptRef,
    sealed: Uint8Array | null,
    expiresAtMs: number,
  ): Promise<boolean> {
    const { attempt } = ref;
    const unanswered = { _id: idOf(ref), attempt, state: { $in: ['running', 'charged'] } } as const;
    const answer = sealed
      ? ({ state: 'kept', sealed: new Binary(sealed) } as const)
      : ({ state: 'too-large' } as const);
    const kept = { $set: { ...answer, expiresAt: new Date(expiresAtMs) } };
    const { matchedCount } = await asUnavailable(this.collection.updateOne(unanswered, kept));
    return matchedCount === 1;
  }

  async remove(ref: RequestAttemptRef): Promise<void> {
    const running = { _id: idOf(ref), attempt: ref.attempt, state: 'running' } as const;
    await asUnavailable(this.collection.deleteOne(running));
  }

  async renew(refs: readonly RequestAttemptRef[], leaseEndsAtMs: number): Promise<number> {
    const running = {
      _id: { $in: refs.map(idOf) },
      attempt: { $in: refs.map(({ attempt }) => attempt) },
      state: 'running',
    } as const;
    const renewal = { $set: { leaseEndsAt: new Date(leaseEndsAtMs) } };
    return (await asUnavailable(this.collection.updateMany(running, renewal))).matchedCount;
  }

  async sweep(nowMs: number): Promise<number> {
    const expired = { expiresAt: { $lte: new Date(nowMs) } };
    return (await asUnavailable(this.collection.deleteMany(expired))).deletedCount;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #replace(filter: Filter<Document>, document: Document): Promise<boolean> {
    const replacement = this.collection.replaceOne(filter, document);
    return (await asUnavailable(replacement)).matchedCount === 1;
  }
}

const asUnavailable = <Result>(operation: Promise<Result>): Promise<Result> =>
  orUnavailable(
    operation,
    (detail, options) => new AnswerStoreError('store-unavailable', detail, options),
  );
