/** The only source of time. Deciders never see it: instants arrive in their commands. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 UTC with milliseconds, as every instant in an event is written. */
export const instant = (clock: Clock): string => new Date(clock.now()).toISOString();
