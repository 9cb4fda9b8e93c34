import { deflateSync } from 'node:zlib';
import { COLOURS, type Picture } from './picture.js';
import { chunkOf, SIGNATURE } from './png.chunks.js';

/** The difference from the row above: smooth pictures have small ones. */
const FILTER_UP = 2;
const TRUE_COLOUR = 2;
const LEVEL = 6;

/** A PNG file of 8 bits a colour. */
export const encodePng = ({ width, height, pixels }: Picture): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TRUE_COLOUR], 8);
  const rowBytes = width * COLOURS;
  const rows = Buffer.alloc(height * (rowBytes + 1));
  for (let y = 0; y < height; y += 1) {
    const to = y * (rowBytes + 1);
    rows[to] = FILTER_UP;
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const above = y === 0 ? 0 : (pixels[at - rowBytes] ?? 0);
      rows[to + 1 + x] = (pixels[at] ?? 0) - above;
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('IDAT', deflateSync(rows, { level: LEVEL })),
    chunkOf('IEND', new Uint8Array()),
  ]);
};
