/** The only source of time. Deciders never see it: instants arrive in their commands. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export const systemClock: Clock = { now: () => Date.now() };

const MS_PER_DAY = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(3, '0'));

/** The day of the instant before, up to its `T`: nearly all instants that are written are of it. */
let day = Number.NaN;
let dayText = '';

/**
 * ISO 8601 UTC with milliseconds, as every instant in an event is written. A `Date` writes the same
 * and takes twice as long; a request writes several.
 * @param atMs since the epoch
 */
export const instantAt = (atMs: number): string => {
  const ms = Math.floor(atMs);
  const daysSinceEpoch = Math.floor(ms / MS_PER_DAY);
  if (daysSinceEpoch !== day) {
    dayText = new Date(daysSinceEpoch * MS_PER_DAY).toISOString().slice(0, -'00:00:00.000Z'.length);
    day = daysSinceEpoch;
  }
  const msOfDay = ms - daysSinceEpoch * MS_PER_DAY;
  const seconds = Math.floor(msOfDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}`;
  return `${dayText}${time}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[msOfDay % 1_000]}Z`;
};

/** As `instantAt`, of now. */
export const instant = (clock: Clock): string => instantAt(clock.now());
