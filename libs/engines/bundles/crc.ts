/** None, CRC-16 of X.25, CRC-32C. */
export type CrcType = 0 | 1 | 2;

/** The bytes of the value. */
export const CRC_BYTES: Readonly<Record<CrcType, number>> = { 0: 0, 1: 2, 2: 4 };

/** A step reads this many bytes, each through a table of its own ("slicing by 8"). */
const SLICES = 8;

interface Crc {
  readonly initial: number;
  /** The table of slice `n` begins at `256 * n`: what a byte becomes after `n` more bytes. */
  readonly tables: Int32Array;
}

/** Both polynomials are reflected, and both values are inverted at their end. */
const crcOf = (polynomial: number, initial: number): Crc => {
  const tables = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte += 1) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1;
    }
    tables[byte] = remainder;
  }
  for (let at = 256; at < tables.length; at += 1) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] ?? 0);
  }
  return { initial, tables };
};

const CRCS = { 1: crcOf(0x8408, 0xffff), 2: crcOf(0x82f63b78, 0xffffffff) } as const;

const ofRange = (
  { initial, tables }: Crc,
  bytes: Uint8Array,
  start: number,
  end: number,
  zeros: number,
): number => {
  const slice = (n: number, value: number): number => tables[256 * n + (value & 0xff)] ?? 0;
  const byte = (at: number): number => bytes[at] ?? 0;
  let crc = initial;
  let at = start;
  for (; at + SLICES <= end; at += SLICES) {
    crc ^= byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    crc =
      slice(7, crc) ^
      slice(6, crc >>> 8) ^
      slice(5, crc >>> 16) ^
      slice(4, crc >>> 24) ^
      slice(3, byte(at + 4)) ^
      slice(2, byte(at + 5)) ^
      slice(1, byte(at + 6)) ^
      slice(0, byte(at + 7));
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ slice(0, crc ^ byte(at));
  for (let zero = 0; zero < zeros; zero += 1) crc = (crc >>> 8) ^ slice(0, crc);
  return (crc ^ initial) >>> 0;
};

export const crc16 = (content: Uint8Array): number =>
  ofRange(CRCS[1], content, 0, content.length, 0);

export const crc32c = (content: Uint8Array): number =>
  ofRange(CRCS[2], content, 0, content.length, 0);

/** Of a block in a range of the bytes; its own CRC follows the range and counts as zero. */
export const crcOfBlock = (type: 1 | 2, bytes: Uint8Array, start: number, end: number): number =>
  ofRange(CRCS[type], bytes, start, end, CRC_BYTES[type]);
