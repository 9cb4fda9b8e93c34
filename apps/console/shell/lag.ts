/** A read, and the log as it is known beside it. */
interface LogState {
  /** Of the read, in events of the log. Null: the read does not say it. */
  readonly position: bigint | null;
  /** The number of events of the log. Null: not known yet. */
  readonly head: bigint | null;
  /** When the last event of the log was recorded. Null: not known. */
  readonly recordedAt: string | null;
}

const MS_PER_SECOND = 1_000;

/**
 * The seconds since the newest event that a read has not seen was recorded; 0: it has seen all.
 * Null: not known.
 * @param nowMs by the clock that stamps events
 */
export const lagSecondsOf = (
  { position, head, recordedAt }: LogState,
  nowMs: number,
): number | null => {
  if (position === null || head === null) return null;
  if (position >= head) return 0;
  if (recordedAt === null) return null;
  return Math.max(0, Math.floor((nowMs - Date.parse(recordedAt)) / MS_PER_SECOND));
};
