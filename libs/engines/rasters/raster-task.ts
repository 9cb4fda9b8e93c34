import { hash } from 'node:crypto';
import { compressionOf, decompress } from './decompress.js';
import { intersects } from './geo/geometry.js';
import { placeOf } from './geo/raster-place.js';
import { previewOf } from './preview.js';
import { RasterProblem } from './rasters.errors.js';
import { type RasterEnd, type RasterImage, type RasterTask } from './rasters.protocol.js';
import { type Directory, isTiff, readTiff, type TiffFile } from './tiff/directories.js';
import { firstByteOf, isTiled, type ImageLayout, layoutOf, sizeOf } from './tiff/image-layout.js';

const TAG = { subfile: 254, dateTime: 306, noData: 42_113 } as const;
/** The bit of a subfile that is a reduced image of another one, and of a mask. */
const [REDUCED, MASK] = [1, 4];
/** An image of this size needs no overviews. */
const COG_SIDE = 512;

/** @throws RastersError `payload_too_large` */
export const runRasterTask = ({ payload, region }: RasterTask): RasterEnd => {
  const read: Read = { content: payload, image: null, preview: null, decodedBytes: 0 };
  const problem = problemOf(() => {
    read.content = decompress(payload);
    const tiff = readTiff(read.content);
    const { main, layout } = describe(tiff, read);
    read.preview = previewOf(tiff.file, layout, read.image?.noData ?? null);
    read.decodedBytes = decodedBytesOf(layout);
    const place = placeOf(main, layout);
    read.image = read.image && { ...read.image, place };
    if (region && !intersects(place.footprint, region)) {
      throw new RasterProblem('region_disjoint', 'the image lies outside of target_region');
    }
  });
  const { content, decodedBytes } = read;
  const inflated = content === payload ? 0 : content.length;
  return {
    ...{ content, image: read.image, preview: read.preview, problem },
    sha256: hash('sha256', content),
    mediaType: mediaTypeOf(content, read.image),
    compression: compressionOf(payload),
    bytesRead: payload.length + inflated + decodedBytes,
  };
};

interface Read {
  content: Uint8Array;
  image: RasterImage | null;
  preview: Uint8Array | null;
  decodedBytes: number;
}

const problemOf = (work: () => void): RasterEnd['problem'] => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof RasterProblem) return { code: error.problem, detail: error.message };
    throw error;
  }
};

/** Tiles are whole; the last strip has only the rows that are left. */
const decodedBytesOf = (layout: ImageLayout): number => {
  const { isTiled: tiled, across, down, blockWidth, blockHeight } = layout;
  const pixels = tiled ? across * blockWidth * down * blockHeight : layout.width * layout.height;
  return pixels * layout.bands * layout.bytesPerSample;
};

/** The image of a file is its first directory that is no reduced image and no mask. */
const describe = ({ file, isBig, directories }: TiffFile, read: Read) => {
  const kindOf = (directory: Directory): number => directory.number(TAG.subfile, 0);
  const main = directories.find((one) => (kindOf(one) & (REDUCED | MASK)) === 0);
  if (!main) throw new RasterProblem('image_damaged', 'a file of reduced images alone');
  const layout = layoutOf(main, file.length);
  const overviews = directories.filter((one) => (kindOf(one) & (REDUCED | MASK)) === REDUCED);
  const noData = Number(main.text(TAG.noData) ?? 'none');
  read.image = {
    ...{ width: layout.width, height: layout.height, bands: layout.bands },
    ...{ dataType: layout.dataType, compression: layout.compression, bigTiff: isBig },
    layout: layout.isTiled ? 'tiled' : 'stripped',
    overviews: overviews.length,
    cloudOptimised: isCloudOptimised(directories, main, overviews),
    noData: Number.isFinite(noData) ? noData : null,
    dateTime: instantOf(main.text(TAG.dateTime)),
    place: null,
  };
  return { main, layout };
};

/**
 * Tiles, overviews from large to small, all directories before all samples, and the samples of
 * overviews before the samples of the image.
 */
const isCloudOptimised = (
  directories: readonly Directory[],
  main: Directory,
  overviews: readonly Directory[],
): boolean => {
  const { width, height } = sizeOf(main);
  const isSmall = Math.max(width, height) <= COG_SIDE;
  if (!isSmall && (overviews.length === 0 || !directories.every(isTiled))) return false;
  const sizes = [main, ...overviews].map((one) => sizeOf(one).width);
  const starts = [main, ...overviews].map(firstByteOf);
  const lastDirectory = Math.max(...directories.map(({ offset }) => offset));
  return (
    directories[0] === main &&
    isFalling(sizes) &&
    isFalling(starts) &&
    starts.every((start) => start > lastDirectory)
  );
};

const isFalling = (values: readonly number[]): boolean =>
  values.every((value, n) => n === 0 || value < (values[n - 1] ?? 0));

const TIFF_TIME = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)$/;

const instantOf = (text: string | null): string | null => {
  const [, ...parts] = TIFF_TIME.exec(text ?? '') ?? [];
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts;
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
};

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['0000000c6a5020200d0a870a', 'image/jp2'],
];

const mediaTypeOf = (content: Uint8Array, image: RasterImage | null): string => {
  if (isTiff(content)) {
    const profile = image?.cloudOptimised === true ? '; profile=cloud-optimized' : '';
    return `image/tiff; application=geotiff${profile}`;
  }
  const head = Buffer.from(content.subarray(0, 16)).toString('hex');
  const found = SIGNATURES.find(([signature]) => head.startsWith(signature));
  return found?.[1] ?? 'application/octet-stream';
};
