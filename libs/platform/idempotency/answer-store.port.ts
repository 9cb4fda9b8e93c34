/** An answer as it went over the wire. */
export interface StoredAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers that a replay must send again, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a stream: the exact bytes of its server-sent events. */
  readonly body: Uint8Array;
}

export interface IdempotentRequest {
  /** The owner of the key, such as the id of an account: two owners may use the same key. */
  readonly scope: string;
  /** `Idempotency-Key` as the caller sent it: 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** Bytes that a retry of the same request has again; nothing made for this attempt. */
  readonly body: Uint8Array;
  /** A UUID of this attempt. A later attempt looks up the charge of this one by it. */
  readonly attempt: string;
}

/**
 * An attempt that was started and never ended: its process is gone, or did not learn its outcome.
 */
export interface LeftRequest {
  readonly attempt: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** `free`: the request may be attempted again. `charged`: it must not be; its answer is lost. */
export type RequestAttemptEnd = 'free' | 'charged';

/** May be called for one attempt by several processes at once, and again after it has failed. */
export type SettleAttempt = (left: LeftRequest) => Promise<RequestAttemptEnd>;

/**
 * `superseded`: the lease had lapsed and another attempt was started, so this answer is not kept.
 * `later`: the store is away; the end is written when it is back, if that is soon.
 */
export type FinishOutcome = 'kept' | 'too-large' | 'superseded' | 'later';

/** The right to answer a request. Call exactly one of `finish`, `abandon` and `leave`, once. */
export interface StartedRequest {
  readonly outcome: 'started';
  /**
   * The id of the first attempt at this request: the same for every attempt that takes over from
   * one that was left, and a new one after the key was freed or has expired.
   */
  readonly firstAttempt: string;
  /**
   * Whether the attempt still holds the key. Call it after the hold of a charge is durable and
   * before any work: when it is true, no other attempt starts without settling that hold.
   */
  readonly confirm: () => Promise<boolean>;
  /**
   * Durable when it resolves, unless `later`. An answer above `ANSWER_BYTES_MAX` is not kept; a
   * caller that has stopped gathering it at that size passes `'too-large'`. The key stays used
   * either way.
   */
  readonly finish: (answer: StoredAnswer | 'too-large') => Promise<FinishOutcome>;
  /** Frees the key at once: nothing was answered that a retry must not repeat. */
  readonly abandon: () => Promise<void>;
  /** The outcome is unknown: the next request with the key settles it first. */
  readonly leave: () => Promise<void>;
}

export type Admission =
  | StartedRequest
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
 * and are encrypted at rest. Errors are of the class `AnswerStoreError`.
 */
export abstract class AnswerStore {
  /**
   * Of concurrent requests with one key and body, in one process or several, one is started. An
   * attempt that was left is settled first; an error of `settle` is thrown on.
   */
  abstract admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission>;
  /** Removes expired answers, which are never replayed either way. @returns how many */
  abstract sweep(): Promise<number>;
  /** Running attempts are left. */
  abstract close(): Promise<void>;
}

/** Counted from the answer, and from the start of an attempt that never ended. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1_000;

/** Of the body: about 40,000 chunks of a stream. */
export const ANSWER_BYTES_MAX = 8 * 1_024 * 1_024;

export interface AnswerTimes {
  /** An attempt whose process has not renewed it for this long is left. */
  readonly leaseMs: number;
  /** Between two renewals of the running attempts of a process. */
  readonly heartbeatMs: number;
  /** Between two tries to write how an attempt ended while the store is away. */
  readonly retryMs: number;
  /** How long those tries go on; afterwards the attempt stays left. */
  readonly retryMsMax: number;
}

/** A key is usable again 15 s after its gateway was killed; two renewals may fail before that. */
export const ANSWER_TIMES: AnswerTimes = {
  leaseMs: 15_000,
  heartbeatMs: 5_000,
  retryMs: 250,
  retryMsMax: 60_000,
};

const KEY = /^[\x20-\x7e]{1,255}$/;

export const isIdempotencyKey = (key: string): boolean => KEY.test(key);
