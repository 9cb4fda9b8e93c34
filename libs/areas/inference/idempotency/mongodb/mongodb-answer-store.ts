import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, type Collection } from 'mongodb';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { DURABLE, insertIfAbsent, type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { orUnavailable } from '#platform/mongodb/mongo-failure.js';
import { AnswerStoreError } from '../answer-store.errors.js';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  ANSWER_KEPT_MS,
  type AnswerStore,
  type FinishOutcome,
  type IdempotentRequest,
  isIdempotencyKey,
  LEASE_MS,
  type SettleAttempt,
  type StoredAnswer,
} from '../answer-store.port.js';
import { AnswerSeal, type RequestIdentity } from '../answer.seal.js';

export interface MongoAnswerStoreOptions {
  /** Stays open when the store is closed: it belongs to whoever opened it. */
  readonly database: MongoDatabase;
  /** 32 bytes, the same for every process that opens the database. Under another one it is empty. */
  readonly encryptionKey: Uint8Array;
  readonly clock?: Clock;
  readonly leaseMs?: number;
}

/** Between two attempts to say how a request ended while the server is away. */
const RETRY_MS = 250;

/** @throws AnswerStoreError `store-unavailable` */
export const openMongoAnswerStore = async ({
  database: { db },
  encryptionKey,
  clock = systemClock,
  leaseMs = LEASE_MS,
}: MongoAnswerStoreOptions): Promise<AnswerStore> => {
  const seal = new AnswerSeal(encryptionKey);
  const entries = db.collection<Entry>('answers', DURABLE);
  await asRefusal(entries.createIndex({ expiresAt: 1 }, {}, {}));
  return new MongoAnswerStore(seal, entries, clock, leaseMs);
};

type State =
  | { readonly state: 'running' | 'too-large' | 'charged' }
  | { readonly state: 'kept'; readonly sealed: Binary };

/** Instants are the clock's of the process that wrote them. */
type Entry = State & {
  /** The hash of scope and key in base64url, so that it can be read and typed. */
  readonly _id: string;
  readonly fingerprint: Binary;
  /** Names this start: only who holds it may end it. */
  readonly attempt: string;
  readonly leaseEndsAt: Date;
  readonly expiresAt: Date;
};

/** An entry, as long as this attempt is what stands there. */
type Start = Pick<Entry, '_id' | 'attempt'>;

/** Finds it as long as it has not ended. */
const running = ({ _id, attempt }: Start) => ({ _id, attempt, state: 'running' }) as const;

/**
 * Every change is one of a single entry under the condition that nobody else has changed it: an
 * insertion takes a free key, and an attempt ends only what was started for it.
 */
class MongoAnswerStore implements AnswerStore {
  /** What this process has running. */
  readonly #running = new Set<Start>();
  readonly #closed = new AbortController();
  #closing: Promise<void> | null = null;

  constructor(
    private readonly seal: AnswerSeal,
    private readonly entries: Collection<Entry>,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  async admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission> {
    if (!isIdempotencyKey(request.key)) {
      throw new AnswerStoreError('invalid-key', 'not 1 to 255 printable ASCII characters');
    }
    const identity = this.seal.identify(request);
    // Again, when somebody else was first to change what was found.
    for (;;) {
      const admission = await this.#tryToAdmit(identity, request.attempt, settle);
      if (admission) return admission;
    }
  }

  async sweep(): Promise<number> {
    const expired = { expiresAt: { $lte: this.#in(0) } };
    return this.#run(async () => (await this.entries.deleteMany(expired)).deletedCount);
  }

  close(): Promise<void> {
    // A server that is gone does not keep the process: the leases end by themselves.
    this.#closing ??= this.#leaveAll().catch(() => undefined);
    return this.#closing;
  }

  async #tryToAdmit(
    identity: RequestIdentity,
    attempt: string,
    settle: SettleAttempt,
  ): Promise<Admission | null> {
    const fresh = this.#freshEntry(identity, attempt);
    const { _id } = fresh;
    const mine = { _id, attempt };
    const insertion = () => insertIfAbsent(this.entries.insertOne(fresh));
    if (await this.#take(mine, insertion)) return this.#started(identity, mine);
    const entry = await this.#run(() => this.entries.findOne({ _id }));
    if (!entry) return null;
    const isExpired = entry.expiresAt.getTime() <= this.clock.now();
    const standing = isExpired ? null : this.#standing(entry, identity);
    if (standing) return standing;
    const found: Start = { _id, attempt: entry.attempt };
    if (!isExpired) {
      const startedAtMs = entry.expiresAt.getTime() - ANSWER_KEPT_MS;
      const end = await settle({ attempt: entry.attempt, startedAtMs });
      if (end === 'charged') return this.#charged(found);
    }
    const replacement = async () =>
      (await this.entries.replaceOne(found, fresh)).matchedCount === 1;
    return (await this.#take(mine, replacement)) ? this.#started(identity, mine) : null;
  }

  /** A start that may have been written all the same is nobody's, and must not seem to run. */
  async #take(mine: Start, write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await this.#run(write);
    } catch (error) {
      const endLease = () => this.#run(() => this.#endLease(mine));
      if (!this.#closing && isAway(error)) void this.#keepTrying(endLease);
      throw error;
    }
  }

  async #charged(found: Start): Promise<Admission | null> {
    const charged = { $set: { state: 'charged' } } as const;
    const { matchedCount } = await this.#run(() => this.entries.updateOne(running(found), charged));
    return matchedCount === 1 ? { outcome: 'charged' } : null;
  }

  /** What the entry that is there makes of a request, or null for an attempt that was left. */
  #standing(entry: Entry, identity: RequestIdentity): Admission | null {
    const isSame = Buffer.from(entry.fingerprint.value()).equals(identity.fingerprint);
    if (!isSame) return { outcome: 'conflict' };
    switch (entry.state) {
      case 'kept':
        return { outcome: 'replay', answer: this.seal.open(identity, entry.sealed.value()) };
      case 'too-large':
      case 'charged':
        return { outcome: entry.state };
      case 'running':
        return entry.leaseEndsAt.getTime() <= this.clock.now() ? null : { outcome: 'running' };
    }
  }

  #freshEntry({ keyHash, fingerprint }: RequestIdentity, attempt: string): Entry {
    return {
      _id: Buffer.from(keyHash).toString('base64url'),
      fingerprint: new Binary(fingerprint),
      state: 'running',
      attempt,
      leaseEndsAt: this.#in(this.leaseMs),
      expiresAt: this.#in(ANSWER_KEPT_MS),
    };
  }

  #started(identity: RequestIdentity, start: Start): Admission {
    this.#running.add(start);
    const abandon = async (): Promise<void> => {
      await this.entries.deleteOne(running(start));
    };
    return {
      outcome: 'started',
      finish: (answer) => this.#end(start, 'later', () => this.#finish(identity, start, answer)),
      abandon: () => this.#end(start, undefined, abandon),
      leave: () => this.#end(start, undefined, () => this.#endLease(start)),
    };
  }

  async #finish(
    identity: RequestIdentity,
    start: Start,
    answer: StoredAnswer | 'too-large',
  ): Promise<FinishOutcome> {
    const expiresAt = this.#in(ANSWER_KEPT_MS);
    const fits = answer !== 'too-large' && answer.body.byteLength <= ANSWER_BYTES_MAX;
    const state: State = fits
      ? { state: 'kept', sealed: new Binary(this.seal.seal(identity, answer)) }
      : { state: 'too-large' };
    const kept = { $set: { ...state, expiresAt } };
    const { matchedCount } = await this.entries.updateOne(running(start), kept);
    if (matchedCount === 0) return 'superseded';
    return fits ? 'kept' : 'too-large';
  }

  async #endLease(start: Start): Promise<void> {
    await this.entries.updateOne(running(start), { $set: { leaseEndsAt: new Date(0) } });
  }

  /** Once now, and in the background while the server is away: nobody waits for that. */
  async #end<Result>(
    start: Start,
    later: Result,
    operation: () => Promise<Result>,
  ): Promise<Result> {
    const once = async (): Promise<Result> => {
      const result = await this.#run(operation);
      this.#running.delete(start);
      return result;
    };
    try {
      return await once();
    } catch (error) {
      if (this.#closing || !isAway(error)) throw error;
      void this.#keepTrying(once);
      return later;
    }
  }

  /** Until the lease ends, when others settle what was left without it. */
  async #keepTrying(operation: () => Promise<unknown>): Promise<void> {
    const untilMs = this.clock.now() + this.leaseMs;
    const { signal } = this.#closed;
    while (this.clock.now() < untilMs && !signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      const isDone = await operation().then(
        () => true,
        (error: unknown) => !isAway(error),
      );
      if (isDone) return;
    }
  }

  /** Ends the leases of what is still running, so that nobody waits for it. */
  async #leaveAll(): Promise<void> {
    this.#closed.abort();
    for (const start of this.#running) await this.#endLease(start);
  }

  #in(ms: number): Date {
    return new Date(this.clock.now() + ms);
  }

  #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.#closing) {
      const detail = 'the answer store is closed';
      return Promise.reject(new AnswerStoreError('store-unavailable', detail));
    }
    return asRefusal(operation());
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof AnswerStoreError && error.code === 'store-unavailable';

const asRefusal = <Result>(operation: Promise<Result>): Promise<Result> =>
  orUnavailable(
    operation,
    (detail, options) => new AnswerStoreError('store-unavailable', detail, options),
  );
