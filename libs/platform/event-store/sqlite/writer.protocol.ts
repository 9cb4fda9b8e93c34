/** The messages between the calling thread and the writer thread: one reply for each request. */

export interface WriterSettings {
  readonly file: string;
  /** How long a write waits for a write of another process. */
  readonly busyTimeoutMs: number;
}

/** The data that the thread starts with. */
export interface WriterData {
  readonly settings: WriterSettings;
  /** The memory of its `Bell`. */
  readonly bell: SharedArrayBuffer;
}

/** An expected revision travels as a number: a revision, or one of these. */
export const EXPECTED_CODE = { 'no-stream': -1, any: -2, 'stream-exists': -3 } as const;

export const VERDICT = { appended: 0, repeated: 1, stale: 2 } as const;
export const FIELDS_PER_OUTCOME = 3;

export type WriterRequest =
  | {
      readonly kind: 'append';
      /**
       * One append after another: stream, expected code, count of events, and then id, type, data,
       * metadata and instant (milliseconds since the Unix epoch) of each. Flat, because cloning it
       * must cost the calling thread little.
       */
      readonly fields: readonly (string | number)[];
    }
  /** Commit nothing, durably: does writing work again? */
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' };

export type WriterReply =
  | { readonly kind: 'ready'; readonly head: number }
  /** The file cannot be opened as a log; the thread ends. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'appended';
      /**
       * The log's last position before this group: the positions of the group follow without a gap.
       */
      readonly after: number;
      /**
       * Verdict, revision and position of each append. Appended and repeated: of its last event.
       * Stale: the revision that the stream is at, -1 where there is none; the position is 0.
       */
      readonly outcomes: readonly number[];
      /** The leaf hashes of the appended events, one after another. */
      readonly leaves: Uint8Array;
    }
  /** The whole group failed. `certain`: nothing was written; else the outcome is unknown. */
  | { readonly kind: 'failed'; readonly certain: boolean; readonly reason: string }
  | { readonly kind: 'probed'; readonly reason: string | null }
  | { readonly kind: 'closed' };
