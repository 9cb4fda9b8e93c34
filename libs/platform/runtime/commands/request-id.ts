import { randomFillSync } from 'node:crypto';
import { UUID_BYTES, uuidOf } from './uuid-text.js';

const VERSION_AT = 'xxxxxxxx-xxxx-'.length;
const TIME_BYTES = 6;

/** Random bytes of the next ids; the system is asked for many at a time. */
const random = Buffer.alloc(256 * UUID_BYTES);
let used = random.length;
/** Used again for each id. */
const bytes = Buffer.alloc(UUID_BYTES);

/**
 * The id of a request: a UUID of version 7 (RFC 9562, 5.7), which is its time and 74 random bits.
 * The time says where in the log its events are.
 */
export const drawRequestId = (nowMs: number): string => {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  random.copy(bytes, 0, used, used + UUID_BYTES);
  used += UUID_BYTES;
  bytes.writeUIntBE(Math.trunc(nowMs), 0, TIME_BYTES);
  return uuidOf(bytes, 7);
};

/** When the request came, in milliseconds since the Unix epoch; undefined for an id without it. */
export const timeOfRequest = (requestId: string): number | undefined =>
  requestId[VERSION_AT] === '7'
    ? Number.parseInt(requestId.replaceAll('-', '').slice(0, 2 * TIME_BYTES), 16)
    : undefined;
