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
}

/**
 * `superseded`: the lease had ended and somebody else was admitted, so that this answer was not
 * kept.
 */
export type FinishOutcome = 'kept' | 'too-large' | 'superseded';

export type Admission =
  | {
      readonly outcome: 'started';
      /**
       * Durable when it resolves. An answer above `ANSWER_BYTES_MAX` is not kept; who has stopped
       * gathering it at that size says `'too-large'` instead. The key stays used either way.
       */
      readonly finish: (answer: StoredAnswer | 'too-large') => Promise<FinishOutcome>;
      /** Frees the key at once: nothing was answered that a retry must not repeat. */
      readonly abandon: () => Promise<void>;
    }
  | { readonly outcome: 'replay'; readonly answer: StoredAnswer }
  /** Same key, other body. */
  | { readonly outcome: 'conflict' }
  /** The first request with this key has not been answered yet. */
  | { readonly outcome: 'running' }
  /** Answered, but the answer was too large to keep; asking again would charge again. */
  | { readonly outcome: 'too-large' };

/**
 * Answers to requests that carried an `Idempotency-Key`, for 24 hours. They live outside the log
 * and stand nowhere in clear. What it refuses is an `AnswerStoreError`.
 */
export interface AnswerStore {
  /** Of all who ask at once with one key and body, in one process or several, one is started. */
  admit(request: IdempotentRequest): Promise<Admission>;
  /** Removes what has expired, which is never given out before that either. @returns how many */
  sweep(): Promise<number>;
  /** Entries still running are free for others from then on. */
  close(): Promise<void>;
}

/** After an answer, and after a start that was neither finished nor abandoned. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1_000;

/** A start that is neither finished nor abandoned within this time may be started again. */
export const LEASE_MS = 15 * 60 * 1_000;

/** Of the body: about 40,000 chunks of a stream. */
export const ANSWER_BYTES_MAX = 8 * 1_024 * 1_024;

const KEY = /^[\x20-\x7e]{1,255}$/;

export const isIdempotencyKey = (key: string): boolean => KEY.test(key);
