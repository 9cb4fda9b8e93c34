import { damaged, RasterProblem, unsupported } from '../rasters.errors.js';
import { DECODED_BYTES_MAX } from '../rasters.protocol.js';
import { type Directory } from './directories.js';

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planar: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  sampleFormat: 339,
} as const;

const BANDS_MAX = 64;
const SIDE_MAX = 2 ** 31 - 1;
/** One tile or strip. */
const BLOCK_BYTES_MAX = 67_108_864;

export type Compression = 'none' | 'lzw' | 'deflate' | 'packbits';
const COMPRESSIONS: ReadonlyMap<number, Compression> = new Map([
  [1, 'none'],
  [5, 'lzw'],
  [8, 'deflate'],
  [32_946, 'deflate'],
  [32_773, 'packbits'],
]);

const DATA_TYPES: ReadonlyMap<string, string> = new Map([
  ['1/8', 'uint8'],
  ['1/16', 'uint16'],
  ['1/32', 'uint32'],
  ['2/8', 'int8'],
  ['2/16', 'int16'],
  ['2/32', 'int32'],
  ['3/32', 'float32'],
  ['3/64', 'float64'],
]);

export interface Block {
  readonly offset: number;
  /** 0: the block is not in the file, and all of its samples are zero. */
  readonly bytes: number;
}

/** How the samples of an image lie in its file. */
export interface ImageLayout {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly bytesPerSample: number;
  readonly dataType: string;
  readonly compression: Compression;
  readonly predictor: number;
  readonly photometric: number;
  /** Whether each band has blocks of its own. */
  readonly isPlanar: boolean;
  readonly isTiled: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly across: number;
  readonly down: number;
  readonly blocks: readonly Block[];
}

/** The size of an image, which a directory has before anything else is known. */
export const sizeOf = (
  directory: Directory,
): { readonly width: number; readonly height: number } => {
  const [width, height] = [directory.number(TAG.width), directory.number(TAG.height)];
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > SIDE_MAX) damaged(`a side of ${side} pixels`);
  }
  return { width, height };
};

export const isTiled = (directory: Directory): boolean => directory.has(TAG.tileWidth);

/** The first byte of the samples. */
export const firstByteOf = (directory: Directory): number => {
  const tag = isTiled(directory) ? TAG.tileOffsets : TAG.stripOffsets;
  return Math.min(
    ...directory
      .numbers(tag)
      .filter((offset) => offset > 0)
      .slice(0, 1_000),
  );
};

const samplesOf = (directory: Directory) => {
  const bands = directory.number(TAG.samples, 1);
  if (bands < 1 || bands > BANDS_MAX) unsupported(`an image of ${bands} bands`);
  const bits = directory.numbers(TAG.bits, BANDS_MAX);
  const formats = directory.numbers(TAG.sampleFormat, BANDS_MAX);
  const [bit = 1] = bits;
  const [format = 1] = formats;
  const isMixed = bits.some((one) => one !== bit) || formats.some((one) => one !== format);
  const dataType = DATA_TYPES.get(`${format}/${bit}`);
  if (isMixed || dataType === undefined) {
    return unsupported(`samples of format ${formats.join(',')} with ${bits.join(',')} bits`);
  }
  return { bands, dataType, bytesPerSample: bit / 8 };
};

/** @throws RasterProblem `image_damaged`, `image_unsupported`, `image_too_large` */
export const layoutOf = (directory: Directory, fileBytes: number): ImageLayout => {
  const { width, height } = sizeOf(directory);
  const samples = samplesOf(directory);
  const code = directory.number(TAG.compression, 1);
  const compression = COMPRESSIONS.get(code) ?? unsupported(`compression ${code}`);
  const predictor = directory.number(TAG.predictor, 1);
  const isFloat = samples.dataType.startsWith('float');
  if (predictor !== 1 && predictor !== (isFloat ? 3 : 2)) unsupported(`predictor ${predictor}`);
  const tiled = isTiled(directory);
  const blockWidth = tiled ? directory.number(TAG.tileWidth) : width;
  const rows = directory.number(TAG.rowsPerStrip, height);
  const blockHeight = tiled ? directory.number(TAG.tileHeight) : Math.min(rows, height);
  if (blockWidth < 1 || blockHeight < 1) damaged('blocks without pixels');
  if (tiled && (blockWidth % 16 !== 0 || blockHeight % 16 !== 0)) {
    damaged('tiles whose sides are no multiples of 16');
  }
  const isPlanar = directory.number(TAG.planar, 1) === 2;
  const across = Math.ceil(width / blockWidth);
  const down = Math.ceil(height / blockHeight);
  const planes = isPlanar ? samples.bands : 1;
  const bytes = blockWidth * blockHeight * samples.bytesPerSample * (samples.bands / planes);
  if (bytes > BLOCK_BYTES_MAX || bytes * across * down * planes > DECODED_BYTES_MAX) {
    const detail = `the image has more than ${DECODED_BYTES_MAX} bytes of samples`;
    throw new RasterProblem('image_too_large', detail);
  }
  const blocks = blocksOf(directory, { tiled, count: across * down * planes, fileBytes });
  const photometric = directory.number(TAG.photometric, 1);
  return {
    ...{ width, height, ...samples, compression, predictor, photometric, isPlanar },
    ...{ isTiled: tiled, blockWidth, blockHeight, across, down, blocks },
  };
};

const blocksOf = (
  directory: Directory,
  {
    tiled,
    count,
    fileBytes,
  }: { readonly tiled: boolean; readonly count: number; readonly fileBytes: number },
): readonly Block[] => {
  const offsets = directory.numbers(tiled ? TAG.tileOffsets : TAG.stripOffsets);
  const sizes = directory.numbers(tiled ? TAG.tileBytes : TAG.stripBytes);
  if (offsets.length !== count || sizes.length !== count) {
    damaged(`${offsets.length} offsets and ${sizes.length} sizes of ${count} blocks`);
  }
  return offsets.map((offset, n) => {
    const bytes = sizes[n] ?? 0;
    if (offset + bytes > fileBytes) damaged(`block ${n} ends after the file`);
    return { offset, bytes };
  });
};
