import { randomUUID } from 'node:crypto';
import { Binary, type Collection } from 'mongodb';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { DURABLE, insertIfAbsent, type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { orRefusal } from '#platform/mongodb/mongo-failure.js';
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
  { readonly state: 'running' | 'too-large' } | { readonly state: 'kept'; readonly sealed: Binary };

/** Instants are the clock's of the process that wrote them. */
type Entry = State & {
  /** The hash of scope and key in base64url, so that it can be read and typed. */
  readonly _id: string;
  readonly fingerprint: Binary;
  /** Names this start: only who holds it may finish or abandon. */
  readonly token: string;
  readonly leaseEndsAt: Date;
  readonly expiresAt: Date;
};

/**
 * Every change is one of a single entry under the condition that nobody else has changed it: an
 * insertion takes a free key, and a token stands for the start that it was given to.
 */
class MongoAnswerStore implements AnswerStore {
  /** Token by key of the entry: what this process has running. */
  readonly #running = new Map<string, string>();
  #closing: Promise<void> | null = null;

  constructor(
    private readonly seal: AnswerSeal,
    private readonly entries: Collection<Entry>,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  async admit(request: IdempotentRequest): Promise<Admission> {
    if (!isIdempotencyKey(request.key)) {
      throw new AnswerStoreError('invalid-key', 'not 1 to 255 printable ASCII characters');
    }
    const identity = this.seal.identify(request);
    return this.#run(async () => {
      // Again, when somebody else was first to change what was found.
      for (;;) {
        const admission = await this.#tryToAdmit(identity);
        if (admission) return admission;
      }
    });
  }

  async sweep(): Promise<number> {
    const expired = { expiresAt: { $lte: this.#in(0) } };
    return this.#run(async () => (await this.entries.deleteMany(expired)).deletedCount);
  }

  close(): Promise<void> {
    // A server that is gone does not keep the process: the leases end by themselves.
    this.#closing ??= this.#release().catch(() => undefined);
    return this.#closing;
  }

  async #tryToAdmit(identity: RequestIdentity): Promise<Admission | null> {
    const fresh = this.#freshEntry(identity);
    const isFirst = await insertIfAbsent(this.entries.insertOne(fresh));
    if (isFirst) return this.#started(identity, fresh);
    const entry = await this.entries.findOne({ _id: fresh._id });
    if (!entry) return null;
    const standing = this.#standing(entry, identity);
    if (standing) return standing;
    const { _id, token } = entry;
    const { matchedCount } = await this.entries.replaceOne({ _id, token }, fresh);
    return matchedCount === 1 ? this.#started(identity, fresh) : null;
  }

  /** What the entry that is there makes of a request, or null where it may start. */
  #standing(entry: Entry, identity: RequestIdentity): Admission | null {
    const nowMs = this.clock.now();
    if (entry.expiresAt.getTime() <= nowMs) return null;
    const isSame = Buffer.from(entry.fingerprint.value()).equals(identity.fingerprint);
    if (!isSame) return { outcome: 'conflict' };
    switch (entry.state) {
      case 'kept':
        return { outcome: 'replay', answer: this.seal.open(identity, entry.sealed.value()) };
      case 'too-large':
        return { outcome: 'too-large' };
      case 'running':
        return entry.leaseEndsAt.getTime() <= nowMs ? null : { outcome: 'running' };
    }
  }

  #freshEntry({ keyHash, fingerprint }: RequestIdentity): Entry {
    return {
      _id: Buffer.from(keyHash).toString('base64url'),
      fingerprint: new Binary(fingerprint),
      state: 'running',
      token: randomUUID(),
      leaseEndsAt: this.#in(this.leaseMs),
      expiresAt: this.#in(ANSWER_KEPT_MS),
    };
  }

  #started(identity: RequestIdentity, { _id, token }: Entry): Admission {
    this.#running.set(_id, token);
    const mine = { _id, token, state: 'running' } as const;
    const settled = <Result>(operation: () => Promise<Result>): Promise<Result> =>
      this.#run(async () => {
        const result = await operation();
        if (this.#running.get(_id) === token) this.#running.delete(_id);
        return result;
      });
    return {
      outcome: 'started',
      finish: (answer) => settled(() => this.#finish(identity, mine, answer)),
      abandon: () =>
        settled(async () => {
          await this.entries.deleteOne(mine);
        }),
    };
  }

  async #finish(
    identity: RequestIdentity,
    mine: { readonly _id: string; readonly token: string; readonly state: 'running' },
    answer: StoredAnswer | 'too-large',
  ): Promise<FinishOutcome> {
    const expiresAt = this.#in(ANSWER_KEPT_MS);
    const fits = answer !== 'too-large' && answer.body.byteLength <= ANSWER_BYTES_MAX;
    const state: State = fits
      ? { state: 'kept', sealed: new Binary(this.seal.seal(identity, answer)) }
      : { state: 'too-large' };
    const { matchedCount } = await this.entries.updateOne(mine, { $set: { ...state, expiresAt } });
    if (matchedCount === 0) return 'superseded';
    return fits ? 'kept' : 'too-large';
  }

  /** Ends the leases of what is still running, so that nobody waits for it. */
  async #release(): Promise<void> {
    const running = [...this.#running].map(([_id, token]) => ({ _id, token }));
    this.#running.clear();
    for (const { _id, token } of running) {
      const mine = { _id, token, state: 'running' } as const;
      await this.entries.updateOne(mine, { $set: { leaseEndsAt: new Date(0) } });
    }
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

const asRefusal = <Result>(operation: Promise<Result>): Promise<Result> =>
  orRefusal(
    operation,
    (detail, options) => new AnswerStoreError('store-unavailable', detail, options),
  );
