/** None, CRC-16 of X.25, CRC-32C. */
export type CrcType = 0 | 1 | 2;

/** The bytes of the value. */
export const CRC_BYTES: Readonly<Record<CrcType, number>> = { 0: 0, 1: 2, 2: 4 };

/** Both polynomials are reflected. */
const tableOf = (polynomial: number): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1;
    }
    return remainder;
  });

const X25 = tableOf(0x8408);
const CASTAGNOLI = tableOf(0x82f63b78);

const crcOf = (table: Uint32Array, initial: number, content: Uint8Array): number => {
  let crc = initial;
  for (const byte of content) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ initial) >>> 0;
};

export const crc16 = (content: Uint8Array): number => crcOf(X25, 0xffff, content);

export const crc32c = (content: Uint8Array): number => crcOf(CASTAGNOLI, 0xffffffff, content);

/** In network byte order. */
export const crcBytes = (type: CrcType, content: Uint8Array): Uint8Array => {
  const value = new Uint8Array(CRC_BYTES[type]);
  const view = new DataView(value.buffer);
  if (type === 1) view.setUint16(0, crc16(content));
  if (type === 2) view.setUint32(0, crc32c(content));
  return value;
};
