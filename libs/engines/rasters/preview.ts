import { type TiffBytes } from './tiff/tiff-bytes.js';
import { type ImageLayout } from './tiff/image-layout.js';
import { blocksOf, type DecodedBlock } from './tiff/samples.js';
import { encodePng } from './png.js';
import { PREVIEW_PIXELS } from './rasters.protocol.js';

/** Colours are stretched between these parts of the pixels of a band. */
const [DARKEST, BRIGHTEST] = [0.02, 0.98];

/**
 * Decodes every block. A pixel of the preview is the one in the middle of the pixels that it
 * covers. Three bands or more are red, green and blue in their order; fewer are grey.
 * @throws RasterProblem for a block that cannot be decoded
 */
export const previewOf = (
  file: TiffBytes,
  layout: ImageLayout,
  noData: number | null,
): Uint8Array => {
  const scale = Math.max(1, layout.width / PREVIEW_PIXELS, layout.height / PREVIEW_PIXELS);
  const width = Math.max(1, Math.round(layout.width / scale));
  const height = Math.max(1, Math.round(layout.height / scale));
  const bands = layout.bands >= 3 ? [0, 1, 2] : [0];
  const grid = {
    columns: picked(width, layout.width),
    rows: picked(height, layout.height),
    bands: bands.map(() => new Float64Array(width * height)),
  };
  for (const block of blocksOf(file, layout)) pick(block, layout, grid);
  const isEmpty = (n: number): boolean =>
    grid.bands.every((band) => Number.isNaN(band[n]) || band[n] === noData);
  const channels = bands.length === 3 ? 4 : 2;
  const samples = new Uint8Array(width * height * channels);
  for (const [at, band] of grid.bands.entries()) {
    const stretch = stretchOf(band, layout.dataType, noData);
    for (const [n, value] of band.entries()) samples[n * channels + at] = stretch(value);
  }
  for (let n = 0; n < width * height; n += 1) {
    samples[(n + 1) * channels - 1] = isEmpty(n) ? 0 : 255;
  }
  return encodePng(width, height, channels, samples);
};

interface Grid {
  /** The columns and rows of the image that are in the preview, in their order. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly bands: readonly Float64Array[];
}

const picked = (count: number, of: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => Math.min(of - 1, Math.floor(((n + 0.5) * of) / count)));

const pick = (
  { plane, column, row, read }: DecodedBlock,
  { isPlanar, blockWidth, blockHeight }: ImageLayout,
  { columns, rows, bands }: Grid,
): void => {
  for (const [y, sourceRow] of rows.entries()) {
    if (sourceRow < row || sourceRow >= row + blockHeight) continue;
    for (const [x, sourceColumn] of columns.entries()) {
      if (sourceColumn < column || sourceColumn >= column + blockWidth) continue;
      const at = y * columns.length + x;
      for (const [n, band] of bands.entries()) {
        if (!isPlanar || n === plane) band[at] = read(sourceColumn - column, sourceRow - row, n);
      }
    }
  }
};

/** Bytes stay as they are; other samples are stretched between two quantiles. */
const stretchOf = (
  band: Float64Array,
  dataType: string,
  noData: number | null,
): ((value: number) => number) => {
  if (dataType === 'uint8') return (value) => value;
  const sorted = band.filter((value) => Number.isFinite(value) && value !== noData).sort();
  const low = sorted[Math.floor(DARKEST * (sorted.length - 1))] ?? 0;
  const high = sorted[Math.ceil(BRIGHTEST * (sorted.length - 1))] ?? 0;
  const range = high > low ? high - low : 1;
  return (value) => Math.round(255 * Math.min(1, Math.max(0, (value - low) / range)));
};
