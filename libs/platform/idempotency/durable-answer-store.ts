import { type Clock } from '#platform/kernel/clock.js';
import {
  type AnswerEntries,
  type RequestAttemptRef,
  type FoundEntry,
  type NewEntry,
  type SeenEntry,
} from './answer-entries.port.js';
import { type AnsweredLog, NO_LOG } from './answered-log.port.js';
import { AnswerStoreError } from './answer-store.errors.js';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  ANSWER_KEPT_MS,
  AnswerStore,
  type AnswerTimes,
  type FinishOutcome,
  type IdempotentRequest,
  isIdempotencyKey,
  type SettleAttempt,
  type StartedRequest,
  type StoredAnswer,
} from './answer-store.port.js';
import { AnswerSeal, type RequestIdentity } from './answer.seal.js';
import { RequestLeases } from './request-leases.js';

/** Of answers that wait in memory for a store that is away. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;

export interface DurableAnswerStoreOptions {
  readonly entries: AnswerEntries;
  /**
   * 32 bytes, the same for every process that shares the entries. Under another one they are empty.
   */
  readonly encryptionKey: Uint8Array;
  readonly clock: Clock;
  readonly times: AnswerTimes;
  /** Default: answers rest on no log. */
  readonly log?: AnsweredLog;
}

/** The rules of the answer store; adapters only keep its entries. */
export class DurableAnswerStore extends AnswerStore {
  readonly #entries: AnswerEntries;
  readonly #seal: AnswerSeal;
  readonly #clock: Clock;
  readonly #times: AnswerTimes;
  readonly #log: AnsweredLog;
  readonly #leases: RequestLeases;
  /** Attempts whose end could not be written yet. */
  readonly #ending = new Set<RequestAttemptRef>();
  #waitingBytes = 0;
  #closing: Promise<void> | null = null;

  constructor({ entries, encryptionKey, clock, times, log = NO_LOG }: DurableAnswerStoreOptions) {
    super();
    this.#entries = entries;
    this.#seal = new AnswerSeal(encryptionKey);
    this.#clock = clock;
    this.#times = times;
    this.#log = log;
    this.#leases = new RequestLeases(entries, clock, times);
  }

  async admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission> {
    if (!isIdempotencyKey(request.key)) {
      throw new AnswerStoreError('invalid-key', 'not 1 to 255 printable ASCII characters');
    }
    this.#rejectClosed();
    const identity = this.#seal.identify(request);
    let entry = this.#newEntry(identity, request.attempt, request.attempt);
    let instead: SeenEntry | null = null;
    // Repeated when another process changed the entry first.
    for (;;) {
      const found = await this.#start(entry, instead);
      if (!found) return this.#started(identity, entry);
      const standing = await this.#standing(found, identity);
      if (standing) return standing;
      const seen = { ...found, keyHash: identity.keyHash };
      entry = this.#newEntry(identity, request.attempt, found.firstAttempt);
      instead = seen;
      if (found.state === 'kept') continue;
      const startedAtMs = found.expiresAtMs - ANSWER_KEPT_MS;
      const end = await settle({ attempt: found.attempt, startedAtMs });
      if (end === 'charged' && (await this.#entries.markCharged(seen))) {
        return { outcome: 'charged' };
      }
      if (end === 'charged') instead = null;
    }
  }

  async sweep(): Promise<number> {
    this.#rejectClosed();
    return this.#entries.sweep(this.#nowMs());
  }

  close(): Promise<void> {
    this.#closing ??= this.#leaveAll();
    return this.#closing;
  }

  /** A start that may have been written although it failed must not keep the key. */
  async #start(entry: NewEntry, instead: SeenEntry | null): Promise<FoundEntry | null> {
    try {
      return await this.#entries.start(entry, instead, this.#nowMs());
    } catch (error) {
      if (isAway(error)) void this.#endLater(entry, 0, () => this.#endLease(entry));
      throw error;
    }
  }

  /**
   * The outcome that the entry means for a request. Null for an attempt that was left, and for an
   * answer whose events are no longer in the log: the log was restored from a backup.
   */
  async #standing(found: FoundEntry, identity: RequestIdentity): Promise<Admission | null> {
    if (!Buffer.from(found.fingerprint).equals(identity.fingerprint)) {
      return { outcome: 'conflict' };
    }
    switch (found.state) {
      case 'kept': {
        const { event, ...answer } = this.#seal.open(identity, found.sealed);
        const isInLog = event === null || (await this.#log.has(event));
        return isInLog ? { outcome: 'replay', answer } : null;
      }
      case 'too-large':
      case 'charged':
        return { outcome: found.state };
      case 'running': {
        const isLeft = found.isOrphan || found.leaseEndsAtMs <= this.#nowMs();
        return isLeft ? null : { outcome: 'running' };
      }
    }
  }

  #newEntry(identity: RequestIdentity, attempt: string, firstAttempt: string): NewEntry {
    const leaseEndsAtMs = this.#leases.leaseEndsAtMs();
    return { ...identity, attempt, firstAttempt, leaseEndsAtMs, expiresAtMs: this.#expiresAtMs() };
  }

  #started(identity: RequestIdentity, entry: NewEntry): StartedRequest {
    // Closed meanwhile: nothing would renew the attempt, and it lapses.
    this.#rejectClosed();
    const { keyHash, attempt, firstAttempt } = entry;
    const ref: RequestAttemptRef = { keyHash, attempt };
    this.#leases.hold(ref);
    return {
      outcome: 'started',
      firstAttempt,
      confirm: async () => {
        this.#rejectClosed();
        return (await this.#entries.renew([ref], this.#leases.leaseEndsAtMs())) === 1;
      },
      finish: (answer) => this.#finish(identity, ref, answer),
      abandon: async () => {
        await this.#end(ref, 0, () => this.#entries.remove(ref));
      },
      leave: async () => {
        await this.#end(ref, 0, () => this.#endLease(ref));
      },
    };
  }

  async #finish(
    identity: RequestIdentity,
    ref: RequestAttemptRef,
    answer: StoredAnswer | 'too-large',
  ): Promise<FinishOutcome> {
    const fits = answer !== 'too-large' && answer.body.byteLength <= ANSWER_BYTES_MAX;
    const event = this.#log.lastEvent();
    const sealed = fits ? this.#seal.seal(identity, { ...answer, event }) : null;
    const keep = () => this.#entries.keep(ref, sealed, this.#expiresAtMs());
    const isKept = await this.#end(ref, sealed?.byteLength ?? 0, keep);
    if (isKept === 'later') return 'later';
    if (!isKept) return 'superseded';
    return fits ? 'kept' : 'too-large';
  }

  async #endLease(ref: RequestAttemptRef): Promise<void> {
    await this.#leases.quiet();
    await this.#entries.renew([ref], 0);
  }

  /**
   * The attempt is renewed no more from here on: if its end cannot be written, it lapses. The end
   * is tried once now, and in the background while the store is away.
   */
  async #end<Result>(
    ref: RequestAttemptRef,
    bytes: number,
    write: () => Promise<Result>,
  ): Promise<Result | 'later'> {
    this.#rejectClosed();
    this.#leases.release(ref);
    try {
      return await write();
    } catch (error) {
      if (!isAway(error)) throw error;
      void this.#endLater(ref, bytes, write);
      return 'later';
    }
  }

  /**
   * Bounded in time and in memory. An attempt that is given up stays left, and a retry settles it.
   */
  async #endLater(
    ref: RequestAttemptRef,
    bytes: number,
    write: () => Promise<unknown>,
  ): Promise<void> {
    if (this.#isClosed() || this.#waitingBytes + bytes > WAITING_BYTES_MAX) return;
    const untilMs = performance.now() + this.#times.retryMsMax;
    this.#ending.add(ref);
    this.#waitingBytes += bytes;
    while (performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, this.#times.retryMs).unref());
      if (this.#isClosed()) break;
      const isDone = await write().then(
        () => true,
        (error: unknown) => !isAway(error),
      );
      if (isDone) break;
    }
    this.#waitingBytes -= bytes;
    this.#ending.delete(ref);
  }

  /**
   * Ends the leases of all that runs. A store that is away does not hold up the end: they lapse.
   */
  async #leaveAll(): Promise<void> {
    const running = [...this.#leases.held, ...this.#ending];
    this.#leases.stop();
    await this.#leases.quiet();
    if (running.length > 0) await this.#entries.renew(running, 0).catch(() => undefined);
    await this.#entries.close();
  }

  #expiresAtMs(): number {
    return this.#nowMs() + ANSWER_KEPT_MS;
  }

  #nowMs(): number {
    return Math.trunc(this.#clock.now());
  }

  #isClosed(): boolean {
    return this.#closing !== null;
  }

  #rejectClosed(): void {
    if (!this.#isClosed()) return;
    throw new AnswerStoreError('store-unavailable', 'the answer store is closed');
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof AnswerStoreError && error.code === 'store-unavailable';
