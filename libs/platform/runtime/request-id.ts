import { randomBytes } from 'node:crypto';

const VERSION_AT = 'xxxxxxxx-xxxx-'.length;
const TIME_BYTES = 6;

/**
 * The id of a request: a UUID of version 7, which is its time and 74 random bits. The time says
 * where in the log its events are.
 */
export const drawRequestId = (nowMs: number): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, TIME_BYTES);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
};

/** When the request came, in milliseconds since the Unix epoch; undefined for an id without it. */
export const timeOfRequest = (requestId: string): number | undefined =>
  requestId[VERSION_AT] === '7'
    ? Number.parseInt(requestId.replaceAll('-', '').slice(0, 2 * TIME_BYTES), 16)
    : undefined;
