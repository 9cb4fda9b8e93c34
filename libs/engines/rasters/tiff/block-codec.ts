import { inflateSync } from 'node:zlib';
import { damaged } from '../rasters.errors.js';
import { type Compression } from './image-layout.js';

const CLEAR = 256;
const END = 257;
const CODES_MAX = 4_096;
const WIDTH_MIN = 9;
const WIDTH_MAX = 12;

/**
 * The samples of a block. Fewer bytes than expected are an error; more are cut, as readers do.
 * @throws RasterProblem
 */
export const decodeBlock = (
  encoded: Uint8Array,
  compression: Compression,
  bytes: number,
): Uint8Array => {
  const decoded = DECODERS[compression](encoded, bytes);
  if (decoded.length < bytes) damaged(`a block of ${decoded.length} bytes, expected ${bytes}`);
  return decoded.length > bytes ? decoded.subarray(0, bytes) : decoded;
};

const inflate = (encoded: Uint8Array, bytes: number): Uint8Array => {
  try {
    return inflateSync(encoded, { maxOutputLength: bytes + 65_536 });
  } catch {
    return damaged('a block with damaged deflate data');
  }
};

/** TIFF 6.0, section 9: a length and a run, or a length and literals. */
const unpackBits = (encoded: Uint8Array, bytes: number): Uint8Array => {
  const decoded = new Uint8Array(bytes);
  let to = 0;
  let from = 0;
  while (from < encoded.length && to < bytes) {
    const head = encoded[from] ?? 0;
    from += 1;
    if (head < 128) {
      const literals = encoded.subarray(from, from + head + 1).subarray(0, bytes - to);
      decoded.set(literals, to);
      to += literals.length;
      from += head + 1;
    } else if (head > 128) {
      const end = Math.min(to + 257 - head, bytes);
      decoded.fill(encoded[from] ?? 0, to, end);
      to = end;
      from += 1;
    }
  }
  return decoded.subarray(0, to);
};

/** Reads codes from the high bit on. */
class CodeReader {
  #bits = 0;
  #held = 0;
  #from = 0;

  constructor(private readonly encoded: Uint8Array) {}

  /** The end code where the data has ended. */
  next(width: number): number {
    while (this.#held < width) {
      if (this.#from === this.encoded.length) return END;
      this.#bits = ((this.#bits << 8) | (this.encoded[this.#from] ?? 0)) & 0xffffff;
      this.#held += 8;
      this.#from += 1;
    }
    this.#held -= width;
    return (this.#bits >> this.#held) & ((1 << width) - 1);
  }
}

/**
 * TIFF 6.0, section 13. Each code of the table is a stretch of the decoded bytes: the string of
 * the code before and the byte that followed it. Codes grow one code early.
 */
const unpackLzw = (encoded: Uint8Array, bytes: number): Uint8Array => {
  const decoded = new Uint8Array(bytes);
  const starts = new Int32Array(CODES_MAX);
  const lengths = new Int32Array(CODES_MAX);
  const codes = new CodeReader(encoded);
  let [next, width, before, to] = [END + 1, WIDTH_MIN, -1, 0];
  while (to < bytes) {
    const code = codes.next(width);
    if (code === END) break;
    if (code === CLEAR) {
      [next, width, before] = [END + 1, WIDTH_MIN, -1];
      continue;
    }
    if (before !== -1 && next < CODES_MAX) {
      starts[next] = before;
      lengths[next] = to - before + 1;
      next += 1;
      if (next >= (1 << width) - 1 && width < WIDTH_MAX) width += 1;
    }
    if (code >= next) damaged('a block with damaged LZW data');
    before = to;
    if (code < CLEAR) decoded[to++] = code;
    else to = repeat(decoded, starts[code] ?? 0, lengths[code] ?? 0, to);
  }
  return decoded.subarray(0, to);
};

/** Byte by byte: the stretch may end in the byte that is written first. @returns the new end */
const repeat = (decoded: Uint8Array, start: number, length: number, to: number): number => {
  const end = Math.min(to + length, decoded.length);
  for (let at = to; at < end; at += 1) decoded[at] = decoded[start + at - to] ?? 0;
  return end;
};

const DECODERS: Readonly<Record<Compression, (encoded: Uint8Array, bytes: number) => Uint8Array>> =
  {
    none: (encoded) => encoded,
    lzw: unpackLzw,
    deflate: inflate,
    packbits: unpackBits,
  };
