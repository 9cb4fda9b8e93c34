export interface KeptStreamTimes {
  /** How long a stream runs on without a reader. */
  readonly graceMs: number;
  /** How long a stream is kept after its last write. */
  readonly keptMs: number;
}

/** The longest that an event waits in memory for the events after it, in milliseconds. */
export const FLUSH_MS = 250;

/** Between two reads of a reader that has reached the newest event, in milliseconds. */
export const POLL_MS = 100;

/** Between two writes of a stream that is silent: three of them may fail before it is lost. */
export const beatMsOf = ({ graceMs, keptMs }: KeptStreamTimes): number =>
  Math.min(graceMs, keptMs) / 16;

/** A stream without a write for this long has lost its process. */
export const lostMsOf = (times: KeptStreamTimes): number => 4 * beatMsOf(times);

/** Between two marks of a reader: the process of the stream looks once in each grace. */
export const markMsOf = ({ graceMs }: KeptStreamTimes): number => graceMs / 4;
