import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLOUR_TYPES: Readonly<Record<number, number>> = { 2: 4, 4: 6 };

/**
 * A PNG of 8 bits (RFC 2083).
 * @param channels 2: grey and alpha; 4: red, green, blue and alpha
 * @param samples by row, without filters
 */
export const encodePng = (
  width: number,
  height: number,
  channels: 2 | 4,
  samples: Uint8Array,
): Uint8Array => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPES[channels] ?? 6], 8);
  const length = width * channels;
  const rows = Buffer.alloc((length + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(samples.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};
