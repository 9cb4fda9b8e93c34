import { randomUUID } from 'node:crypto';

const VERSION_AT = 'xxxxxxxx-xxxx-'.length;
const TIME_BYTES = 6;
/** The id separates the last four digits of the time from the others. */
const LAST_DIGITS = 4;
const LAST_VALUES = 16 ** LAST_DIGITS;

const RANDOM_AT = 'xxxxxxxx-xxxx-V'.length;

/**
 * The id of a request: a UUID of version 7 (RFC 9562, 5.7), which is its time and 74 random bits.
 * The time says where in the log its events are. The random bits are taken from a UUID of
 * version 4, because Node draws many of those UUIDs at a time.
 */
export const drawRequestId = (nowMs: number): string => {
  const first = Math.trunc(nowMs / LAST_VALUES);
  const last = Math.trunc(nowMs) - first * LAST_VALUES;
  const time = `${hex(first, 2 * TIME_BYTES - LAST_DIGITS)}-${hex(last, LAST_DIGITS)}`;
  return `${time}-7${randomUUID().slice(RANDOM_AT)}`;
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** When the request came, in milliseconds since the Unix epoch; undefined for an id without it. */
export const timeOfRequest = (requestId: string): number | undefined =>
  requestId[VERSION_AT] === '7'
    ? Number.parseInt(requestId.replaceAll('-', '').slice(0, 2 * TIME_BYTES), 16)
    : undefined;
