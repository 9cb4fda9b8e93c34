import { inflateSync } from 'node:zlib';
import { COLOURS, type Picture, PictureError } from './picture.js';
import { chunksOf, damaged } from './png.chunks.js';

/** Pixels of a side, and of a whole picture. */
export const SIDE_MAX = 4_096;
export const PIXELS_MAX = 4_194_304;

interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits of one sample. */
  readonly depth: number;
  readonly colour: ColourType;
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
type ColourType = keyof typeof CHANNELS;
const PALETTE = 3;

const DEPTHS: Readonly<Record<ColourType, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

const isColourType = (value: number): value is ColourType => value in CHANNELS;

const unsupported = (message: string): PictureError =>
  new PictureError('picture_unsupported', message);

/** Everything that bounds the work is checked here, before anything is inflated. */
const headerOf = (data: Buffer): Header => {
  if (data.length !== 13) throw damaged('the header has another length');
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colour = 0, compression = 0, filter = 0, interlace = 0] = data.subarray(8);
  if (width === 0 || height === 0) throw damaged('a side has no pixels');
  if (width > SIDE_MAX || height > SIDE_MAX || width * height > PIXELS_MAX) {
    const limit = `a picture may have ${PIXELS_MAX} pixels, and ${SIDE_MAX} on a side`;
    throw new PictureError('picture_too_large', `the picture is ${width}x${height}; ${limit}`);
  }
  if (!isColourType(colour) || !DEPTHS[colour].includes(depth)) {
    throw damaged(`colours of type ${colour} with ${depth} bits do not exist`);
  }
  if (compression !== 0 || filter !== 0) throw damaged('the compression is unknown');
  if (interlace !== 0) throw unsupported('interlaced pictures are not read');
  return { width, height, depth, colour };
};

interface Parts {
  readonly header: Header;
  readonly palette: Buffer;
  readonly compressed: Buffer;
}

const partsOf = (file: Buffer): Parts => {
  let header: Header | undefined;
  let palette = Buffer.alloc(0);
  const compressed: Buffer[] = [];
  for (const { type, data } of chunksOf(file)) {
    if (!header) {
      if (type !== 'IHDR') throw damaged('the file does not begin with its header');
      header = headerOf(data);
    } else if (type === 'acTL' || type === 'fdAT') {
      throw unsupported('animated pictures are not read');
    } else if (type === 'PLTE') {
      if (data.length % COLOURS !== 0 || data.length > 256 * COLOURS) {
        throw damaged('the palette has another length');
      }
      palette = Buffer.from(data);
    } else if (type === 'IDAT') compressed.push(data);
    else if (type !== 'IEND' && isCritical(type)) throw unsupported(`the chunk ${type} is unknown`);
    // Others, such as colour profiles, are not even inflated.
  }
  if (!header || compressed.length === 0) throw damaged('the file has no pixels');
  return { header, palette, compressed: Buffer.concat(compressed) };
};

/** A reader that does not know such a chunk cannot show the picture. */
const isCritical = (type: string): boolean => /^[A-Z]/.test(type);

/**
 * Reads a PNG file in memory that is bounded by `PIXELS_MAX`. Transparent pixels are over white.
 * @throws PictureError
 */
export const decodePng = (file: Buffer): Picture => {
  const { header, palette, compressed } = partsOf(file);
  const { width, height, depth, colour } = header;
  const bits = depth * CHANNELS[colour];
  const rowBytes = Math.ceil((width * bits) / 8);
  const length = height * (rowBytes + 1);
  const rows = inflated(compressed, length);
  unfilter(rows, height, rowBytes, Math.max(1, bits / 8));
  const pixels = new Uint8Array(width * height * COLOURS);
  const samples = new Uint8Array(width * CHANNELS[colour]);
  for (let y = 0; y < height; y += 1) {
    const row = rows.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1));
    readSamples(row, header, samples);
    writePixels(samples, header, palette, pixels.subarray(y * width * COLOURS));
  }
  return { width, height, pixels };
};

const inflated = (compressed: Buffer, length: number): Buffer => {
  try {
    const rows = inflateSync(compressed, { maxOutputLength: length });
    if (rows.length === length) return rows;
  } catch {
    throw damaged('the pixels cannot be inflated to the size of the picture');
  }
  throw damaged('the file ends before its last row');
};

const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner;
  const [toLeft, toAbove] = [Math.abs(guess - left), Math.abs(guess - above)];
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
};

/** The value that a filter expects. */
const expected = (filter: number, left: number, above: number, corner: number): number => {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    default:
      return paeth(left, above, corner);
  }
};

/** In place. */
const unfilter = (rows: Buffer, height: number, rowBytes: number, step: number): void => {
  for (let y = 0; y < height; y += 1) {
    const start = y * (rowBytes + 1) + 1;
    const filter = rows[start - 1] ?? 0;
    if (filter > 4) throw damaged(`the filter ${filter} is unknown`);
    for (let x = 0; filter > 0 && x < rowBytes; x += 1) {
      const at = start + x;
      const left = x < step ? 0 : (rows[at - step] ?? 0);
      const above = y === 0 ? 0 : (rows[at - rowBytes - 1] ?? 0);
      const corner = x < step || y === 0 ? 0 : (rows[at - rowBytes - 1 - step] ?? 0);
      rows[at] = (rows[at] ?? 0) + expected(filter, left, above, corner);
    }
  }
};

/** Samples of 8 bits; indices of a palette as they are. */
const readSamples = (row: Buffer, { depth, colour }: Header, samples: Uint8Array): void => {
  const scale = colour === PALETTE ? 1 : 255 / (2 ** Math.min(depth, 8) - 1);
  for (let at = 0; at < samples.length; at += 1) {
    if (depth === 16) samples[at] = row[2 * at] ?? 0;
    else {
      const bit = at * depth;
      const shift = 8 - depth - (bit % 8);
      const value = ((row[bit >> 3] ?? 0) >> shift) & (2 ** depth - 1);
      samples[at] = value * scale;
    }
  }
};

const writePixels = (
  samples: Uint8Array,
  { colour }: Header,
  palette: Buffer,
  pixels: Uint8Array,
): void => {
  const channels = CHANNELS[colour];
  const isGrey = colour === 0 || colour === 4;
  const hasAlpha = colour === 4 || colour === 6;
  for (let at = 0; at * channels < samples.length; at += 1) {
    const from = at * channels;
    const alpha = hasAlpha ? (samples[from + channels - 1] ?? 0) / 255 : 1;
    for (let channel = 0; channel < COLOURS; channel += 1) {
      let value = samples[from + (isGrey ? 0 : channel)] ?? 0;
      if (colour === PALETTE) {
        const entry = palette[(samples[at] ?? 0) * COLOURS + channel];
        if (entry === undefined) throw damaged('a pixel has no colour in the palette');
        value = entry;
      }
      pixels[at * COLOURS + channel] = Math.round(255 + alpha * (value - 255));
    }
  }
};
