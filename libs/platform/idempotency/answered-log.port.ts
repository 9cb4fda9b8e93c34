/** The log that answers rest on. A log that was restored from a backup lacks the newest events. */
export interface AnsweredLog {
  /** Names the last event that this process has appended, if any. */
  lastEvent(): string | null;
  has(event: string): Promise<boolean>;
}

/** For answers that rest on no log. */
export const NO_LOG: AnsweredLog = {
  lastEvent: () => null,
  has: () => Promise.resolve(true),
};
