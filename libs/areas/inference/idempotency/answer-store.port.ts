/** An answer as it went over the wire. */
export interface StoredAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** What a replay must send again, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a stream: the exact bytes of its server-sent events. */
  readonly body: Uint8Array;
}

export interface IdempotentRequest {
  /** Whose key it is, such as the id of a user: two callers may use the same key. */
  readonly scope: string;
  /** `Idempotency-Key` as the caller sent it: 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** Bytes that a retry of the same request has again; nothing made for this attempt. */
  readonly body: Uint8Array;
  /** Names this attempt, and no other: whoever settles it finds by that what it has cost. */
  readonly attempt: string;
}

/** One that was started and never ended: its process is gone, or could not tell what it has cost. */
export interface LeftAttempt {
  readonly attempt: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** `free`: it was not charged, and will not be. */
export type AttemptEnd = 'free' | 'charged';

/** May be asked of one attempt by several callers at once, and again after it has failed. */
export type SettleAttempt = (left: LeftAttempt) => Promise<AttemptEnd>;

/**
 * `superseded`: the lease had ended and somebody else was admitted, so that this answer was not
 * kept. `later`: the store is away, and is told when it is back, until the lease ends.
 */
export type FinishOutcome = 'kept' | 'too-large' | 'superseded' | 'later';

export type Admission =
  | {
      readonly outcome: 'started';
      /**
       * Durable when it resolves, unless `later`. An answer above `ANSWER_BYTES_MAX` is not kept; who
       * has stopped gathering it at that size says `'too-large'` instead. The key stays used either
       * way.
       */
      readonly finish: (answer: StoredAnswer | 'too-large') => Promise<FinishOutcome>;
      /** Frees the key at once: nothing was answered that a retry must not repeat. */
      readonly abandon: () => Promise<void>;
      /** Nobody knows yet what it has cost: the next who asks with the key settles it first. */
      readonly leave: () => Promise<void>;
    }
  | { readonly outcome: 'replay'; readonly answer: StoredAnswer }
  /** Same key, other body. */
  | { readonly outcome: 'conflict' }
  /** The first request with this key has not been answered yet. */
  | { readonly outcome: 'running' }
  /** Answered, but the answer was too large to keep; asking again would charge again. */
  | { readonly outcome: 'too-large' }
  /** Charged, and its answer was lost before it was kept. */
  | { readonly outcome: 'charged' };

/**
 * Answers to requests that carried an `Idempotency-Key`, for 24 hours. They live outside the log
 * and stand nowhere in clear. What it refuses is an `AnswerStoreError`.
 */
export const ANSWER_STORE = Symbol('AnswerStore');

export interface AnswerStore {
  /**
   * Of all who ask at once with one key and body, in one process or several, one is started; never
   * over an attempt that was left, unless that is `free`. What `settle` throws is thrown.
   */
  admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission>;
  /** Removes what has expired, which is never given out before that either. @returns how many */
  sweep(): Promise<number>;
  /** What is still running is left. */
  close(): Promise<void>;
}

/** After an answer, and after a start that was not ended. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1_000;

/** A start that was not ended within this time is left. */
export const LEASE_MS = 15 * 60 * 1_000;

/** Of the body: about 40,000 chunks of a stream. */
export const ANSWER_BYTES_MAX = 8 * 1_024 * 1_024;

const KEY = /^[\x20-\x7e]{1,255}$/;

export const isIdempotencyKey = (key: string): boolean => KEY.test(key);
