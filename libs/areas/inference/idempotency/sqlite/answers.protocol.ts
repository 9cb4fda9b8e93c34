/** What the calling thread and the thread of the answers say: one request, then one reply. */
import { type AttemptEnd } from '../answer-store.port.js';

export interface AnswersSettings {
  readonly file: string;
  /** How long a write waits for another process's. */
  readonly busyTimeoutMs: number;
}

/** Times are milliseconds since the Unix epoch. */
export type AnswersRequest =
  | {
      readonly kind: 'admit';
      readonly keyHash: Uint8Array;
      readonly fingerprint: Uint8Array;
      readonly owner: string;
      /** Names this start: only who holds it may end it. */
      readonly attempt: string;
      readonly nowMs: number;
      readonly leaseEndsAtMs: number;
      readonly expiresAtMs: number;
      /** What became of an attempt that was left, if that is what stands there still. */
      readonly settled: { readonly attempt: string; readonly end: AttemptEnd } | null;
    }
  | {
      readonly kind: 'finish';
      readonly keyHash: Uint8Array;
      readonly attempt: string;
      /** Null for an answer too large to keep. */
      readonly sealed: Uint8Array | null;
      readonly expiresAtMs: number;
    }
  | {
      readonly kind: 'abandon' | 'leave';
      readonly keyHash: Uint8Array;
      readonly attempt: string;
    }
  | { readonly kind: 'sweep'; readonly nowMs: number }
  | { readonly kind: 'close' };

export type AdmissionReply =
  | { readonly kind: 'started' | 'conflict' | 'too-large' | 'charged' }
  | {
      readonly kind: 'running';
      readonly owner: string;
      readonly attempt: string;
      readonly leaseEndsAtMs: number;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'kept'; readonly sealed: Uint8Array };

/** What each request is answered with, unless it fails. */
export interface ReplyTo {
  readonly admit: AdmissionReply;
  readonly finish: ChangedReply;
  readonly abandon: ChangedReply;
  readonly leave: ChangedReply;
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
