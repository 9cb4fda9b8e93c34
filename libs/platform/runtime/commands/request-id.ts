import { randomUUID } from 'node:crypto';

const VERSION_AT = 'xxxxxxxx-xxxx-'.length;
const TIME_BYTES = 6;

const RANDOM_AT = 'xxxxxxxx-xxxx-V'.length;

/**
 * The id of a request: a UUID of version 7 (RFC 9562, 5.7), which is its time and 74 random bits.
 * The time says where in the log its events are. The random bits are taken from a UUID of
 * version 4, because Node draws many of those UUIDs at a time.
 */
export const drawRequestId = (nowMs: number): string => {
  const time = Math.trunc(nowMs)
    .toString(16)
    .padStart(2 * TIME_BYTES, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(RANDOM_AT)}`;
};

/** When the request came, in milliseconds since the Unix epoch; undefined for an id without it. */
export const timeOfRequest = (requestId: string): number | undefined =>
  requestId[VERSION_AT] === '7'
    ? Number.parseInt(requestId.replaceAll('-', '').slice(0, 2 * TIME_BYTES), 16)
    : undefined;
