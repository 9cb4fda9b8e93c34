import { crc32 } from 'node:zlib';
import { PictureError } from './picture.js';

/** The chunks of PNG files (W3C PNG, third edition). */
export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** Of its length, behind which are its type and its data. */
  readonly at: number;
}

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length, type and checksum. */
const CHUNK_OVERHEAD = 12;
/** No picture that is read needs as many. */
const CHUNKS_MAX = 10_000;

export const chunkOf = (type: string, data: Uint8Array): Buffer => {
  const chunk = Buffer.alloc(CHUNK_OVERHEAD + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
};

/** The chunks of a file, each with a right checksum. @throws PictureError */
export function* chunksOf(file: Buffer): Generator<Chunk, void, void> {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw new PictureError('not_a_png', 'the file does not begin as a PNG file');
  }
  let at = SIGNATURE.length;
  for (let count = 0; at < file.length; count += 1) {
    if (count === CHUNKS_MAX) throw damaged('the file has too many chunks');
    const rest = file.length - at - CHUNK_OVERHEAD;
    const length = rest < 0 ? 0 : file.readUInt32BE(at);
    if (rest < length) throw damaged('the file ends inside a chunk');
    const dataAt = at + 8;
    const type = file.toString('latin1', at + 4, dataAt);
    if (crc32(file.subarray(at + 4, dataAt + length)) !== file.readUInt32BE(dataAt + length)) {
      throw damaged('the checksum of a chunk is wrong');
    }
    yield { type, data: file.subarray(dataAt, dataAt + length), at };
    if (type === 'IEND') return;
    at += CHUNK_OVERHEAD + length;
  }
  throw damaged('the file has no end');
}

export const damaged = (message: string): PictureError =>
  new PictureError('picture_damaged', message);
