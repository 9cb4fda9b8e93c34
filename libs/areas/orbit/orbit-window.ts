import { reject } from './orbit.errors.js';
import { WINDOW_DAYS_MAX } from './orbits.engine.js';

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;

/** In milliseconds since the Unix epoch. */
export interface OrbitWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** As a request names it: ISO 8601, or null for the default. */
export interface AskedWindow {
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Without an instant the window begins with this minute, so that requests within it share a search.
 * @throws DomainError `orbit_window_invalid`
 */
export const windowOf = (
  { from, to }: AskedWindow,
  nowMs: number,
  defaultMs: number,
): OrbitWindow => {
  const fromMs = from === null ? nowMs - (nowMs % MS_PER_MINUTE) : Date.parse(from);
  const toMs = to === null ? fromMs + defaultMs : Date.parse(to);
  if (toMs <= fromMs || toMs - fromMs > WINDOW_DAYS_MAX * MS_PER_DAY) {
    reject(
      'orbit_window_invalid',
      `to: expected an instant after from and at most ${WINDOW_DAYS_MAX} days later, ` +
        `received ${new Date(toMs).toISOString()}`,
    );
  }
  if (fromMs < FIRST_MS || toMs > LAST_MS) {
    reject('orbit_window_invalid', 'from: expected a window from 1957 to 2056, as elements have');
  }
  return { fromMs, toMs };
};

/** The years that two digits of an epoch name. */
const FIRST_MS = Date.UTC(1957, 0);
const LAST_MS = Date.UTC(2057, 0) - 1;
