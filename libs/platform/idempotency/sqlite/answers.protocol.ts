/**
 * The protocol of the calling thread and the thread of the answers: one request, then one reply.
 */
import { type EntryState } from '../answer-entries.port.js';

export interface AnswersSettings {
  readonly file: string;
  /** How long a write waits for another process's. */
  readonly busyTimeoutMs: number;
}

/** A running attempt as it was read. */
export interface SeenAttemptRow {
  readonly keyHash: Uint8Array;
  readonly attempt: string;
  readonly leaseEndsAtMs: number;
  readonly expiresAtMs: number;
}

/** An entry as it was read. */
export interface SeenEntryRow extends SeenAttemptRow {
  readonly state: EntryState['state'];
}

/** Times are milliseconds since the Unix epoch. */
export type AnswersRequest =
  | {
      readonly kind: 'start';
      readonly keyHash: Uint8Array;
      readonly fingerprint: Uint8Array;
      readonly owner: string;
      readonly attempt: string;
      readonly firstAttempt: string;
      readonly leaseEndsAtMs: number;
      readonly expiresAtMs: number;
      /** The attempt that this one takes over from. */
      readonly instead: SeenEntryRow | null;
      readonly nowMs: number;
    }
  | { readonly kind: 'charge'; readonly seen: SeenAttemptRow }
  | {
      readonly kind: 'keep';
      readonly keyHash: Uint8Array;
      readonly attempt: string;
      /** Null for an answer too large to keep. */
      readonly sealed: Uint8Array | null;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'remove'; readonly keyHash: Uint8Array; readonly attempt: string }
  | {
      readonly kind: 'renew';
      readonly refs: readonly { readonly keyHash: Uint8Array; readonly attempt: string }[];
      readonly leaseEndsAtMs: number;
    }
  | { readonly kind: 'sweep'; readonly nowMs: number }
  | { readonly kind: 'close' };

export interface AnswerRow {
  readonly fingerprint: Uint8Array;
  readonly state: EntryState['state'];
  readonly owner: string;
  readonly attempt: string;
  readonly firstAttempt: string;
  readonly leaseEndsAtMs: number;
  readonly expiresAtMs: number;
  /** Of a kept answer alone. */
  readonly sealed: Uint8Array | null;
}

export type StartReply =
  { readonly kind: 'started' } | { readonly kind: 'found'; readonly row: AnswerRow };

/** The reply to each request, unless it fails. */
export interface ReplyTo {
  readonly start: StartReply;
  readonly charge: ChangedReply;
  readonly keep: ChangedReply;
  readonly remove: ChangedReply;
  readonly renew: ChangedReply;
  readonly sweep: ChangedReply;
  readonly close: { readonly kind: 'closed' };
}

interface ChangedReply {
  readonly kind: 'changed';
  readonly rows: number;
}

export interface FailedReply {
  readonly kind: 'failed';
  readonly unreadable: boolean;
  readonly reason: string;
}

/** At the start, `ready` or `failed`: then the file is no answer store, and the thread ends. */
export type AnswersReply = { readonly kind: 'ready' } | ReplyTo[keyof ReplyTo] | FailedReply;
