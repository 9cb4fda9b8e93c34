import { DomainError } from '#platform/kernel/domain-error.js';
import { SLOT_MINUTES } from '#projections/statistics/time-slots.js';
import { type StatisticsErrorCode } from './statistics.errors.js';

export const SLOT_MS = SLOT_MINUTES * 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const TIMESPAN_DAYS_MAX = 365;
const TIMESPAN = /^([1-9]\d{0,3})([hd])$/;

/** A window of time, and the length of the points of its charts. */
export interface Window {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly pointMs: number;
}

/** Points of 5 or 30 minutes, of an hour, of a day: at most 72 of the shorter ones. */
const pointOf = (lengthMs: number): number => {
  if (lengthMs <= 6 * HOUR_MS) return SLOT_MS;
  if (lengthMs <= 24 * HOUR_MS) return 6 * SLOT_MS;
  if (lengthMs <= 72 * HOUR_MS) return HOUR_MS;
  return DAY_MS;
};

/** @throws DomainError `invalid_timespan` */
export const timespanMs = (timespan: string): number => {
  const [, count = '0', unit] = TIMESPAN.exec(timespan) ?? [];
  const lengthMs = Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS);
  if (lengthMs > 0 && lengthMs <= TIMESPAN_DAYS_MAX * DAY_MS) return lengthMs;
  throw new DomainError<StatisticsErrorCode>(
    'invalid_timespan',
    `timespan must be hours or days, from 1h to ${TIMESPAN_DAYS_MAX}d, such as 24h or 30d`,
  );
};

/**
 * The last window of that length whose slots are complete: figures of an open slot would show the
 * difference that a single charge makes.
 */
export const windowOf = (lengthMs: number, nowMs: number): Window => {
  const toMs = Math.floor(nowMs / SLOT_MS) * SLOT_MS;
  return { fromMs: toMs - lengthMs, toMs, pointMs: pointOf(lengthMs) };
};

/** When each point of a chart begins; the first one may begin before the window. */
export const pointsOf = ({ fromMs, toMs, pointMs }: Window): readonly number[] => {
  const first = Math.floor(fromMs / pointMs) * pointMs;
  const count = Math.ceil((toMs - first) / pointMs);
  return Array.from({ length: count }, (_, index) => first + index * pointMs);
};
