/**
 * How many codes may be guessed. Three of a million codes are valid at an instant, so a guess is
 * right once in 330,000. Ten wrong codes an hour are answered at once, 30 in all since the last
 * accepted code. From then on every wrong code closes the second factor for a time: a minute, then
 * twice as long each time, a day at most. Only an accepted code ends the doubling.
 */
const HOUR_MS = 3_600_000;
export const WRONG_CODES_PER_HOUR = 10;
export const WRONG_CODES_MAX = 30;
const FIRST_BACK_OFF_MS = 60_000;
const BACK_OFF_MS_MAX = 24 * HOUR_MS;

/** The wrong codes that no log-in has reported to the user. Instants are ISO 8601 UTC. */
export interface UnreportedWrongCodes {
  readonly count: number;
  readonly lastAt: string;
}

/** The wrong codes of one user since the last accepted one. */
export interface WrongCodes {
  readonly count: number;
  /** Those of the hour before the last one, which is among them. */
  readonly recentAt: readonly string[];
  readonly backOffs: number;
  /** Null: the next code is checked. */
  readonly lockedUntil: string | null;
}

export const NO_WRONG_CODES: WrongCodes = {
  count: 0,
  recentAt: [],
  backOffs: 0,
  lockedUntil: null,
};

interface WrongCode {
  readonly failedAt: string;
  readonly lockedUntil: string | null;
}

/** Seconds until a code is checked; 0: now. */
export const lockedSeconds = ({ lockedUntil }: WrongCodes, at: string): number =>
  lockedUntil === null ? 0 : Math.max(0, Math.ceil((msOf(lockedUntil) - msOf(at)) / 1_000));

/** The state after one more wrong code. */
export const nextWrongCode = (before: WrongCodes, at: string) => {
  const wrongCodes = before.count + 1;
  const isTooMany =
    before.backOffs > 0 ||
    recentWith(before, at).length >= WRONG_CODES_PER_HOUR ||
    wrongCodes >= WRONG_CODES_MAX;
  const backOffMs = Math.min(FIRST_BACK_OFF_MS * 2 ** before.backOffs, BACK_OFF_MS_MAX);
  const lockedUntil = isTooMany ? new Date(msOf(at) + backOffMs).toISOString() : null;
  return { wrongCodes, failedAt: at, lockedUntil };
};

export const withWrongCode = (
  before: WrongCodes,
  { failedAt, lockedUntil }: WrongCode,
): WrongCodes => ({
  count: before.count + 1,
  recentAt: recentWith(before, failedAt),
  backOffs: before.backOffs + (lockedUntil === null ? 0 : 1),
  lockedUntil,
});

const recentWith = ({ recentAt }: WrongCodes, at: string): readonly string[] => [
  ...recentAt.filter((one) => msOf(at) - msOf(one) < HOUR_MS),
  at,
];

const msOf = (instant: string): number => Date.parse(instant);
