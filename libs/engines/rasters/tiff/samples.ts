import { type TiffBytes } from './tiff-bytes.js';
import { decodeBlock } from './block-codec.js';
import { type ImageLayout } from './image-layout.js';

/** Where a block lies in its image, and its decoded samples. */
export interface DecodedBlock {
  /** The band of a planar image; else 0, and the samples of all bands alternate. */
  readonly plane: number;
  readonly column: number;
  readonly row: number;
  readonly read: (column: number, row: number, band: number) => number;
}

/** Every block of an image in the order of the file. @throws RasterProblem */
export function* blocksOf(file: TiffBytes, layout: ImageLayout): Generator<DecodedBlock> {
  const { across, down, blocks, blockWidth, blockHeight } = layout;
  for (const [n, { offset, bytes }] of blocks.entries()) {
    const place = n % (across * down);
    const row = Math.floor(place / across) * blockHeight;
    const column = (place % across) * blockWidth;
    const plane = Math.floor(n / (across * down));
    // The last strip has only the rows that are left.
    const rows = layout.isTiled ? blockHeight : Math.min(blockHeight, layout.height - row);
    const perPixel = layout.isPlanar ? 1 : layout.bands;
    const size = blockWidth * rows * perPixel * layout.bytesPerSample;
    // A copy, and no Buffer, whose `slice` would share its bytes.
    const decoded =
      bytes === 0
        ? new Uint8Array(size)
        : new Uint8Array(decodeBlock(file.slice(offset, bytes), layout.compression, size));
    if (bytes > 0) undoPredictor(decoded, layout, { rows, perPixel, little: file.littleEndian });
    const read = readerOf(decoded, layout, file.littleEndian);
    yield {
      plane,
      column,
      row,
      read: (x, y, band) => read((y * blockWidth + x) * perPixel + (layout.isPlanar ? 0 : band)),
    };
  }
}

const readerOf = (
  bytes: Uint8Array,
  { dataType }: ImageLayout,
  little: boolean,
): ((index: number) => number) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (dataType) {
    case 'uint8':
      return (index) => view.getUint8(index);
    case 'int8':
      return (index) => view.getInt8(index);
    case 'uint16':
      return (index) => view.getUint16(2 * index, little);
    case 'int16':
      return (index) => view.getInt16(2 * index, little);
    case 'uint32':
      return (index) => view.getUint32(4 * index, little);
    case 'int32':
      return (index) => view.getInt32(4 * index, little);
    case 'float32':
      return (index) => view.getFloat32(4 * index, little);
    default:
      return (index) => view.getFloat64(8 * index, little);
  }
};

interface Rows {
  readonly rows: number;
  readonly perPixel: number;
  readonly little: boolean;
}

/** TIFF 6.0, section 14, and the technical note on floating-point predictors. In place. */
const undoPredictor = (
  bytes: Uint8Array,
  layout: ImageLayout,
  { rows, perPixel, little }: Rows,
) => {
  const { predictor, bytesPerSample: size, blockWidth } = layout;
  const length = blockWidth * perPixel * size;
  for (let row = 0; row < rows && predictor !== 1; row += 1) {
    const line = bytes.subarray(row * length, (row + 1) * length);
    if (predictor === 2) sumSamples(line, { size, perPixel, little });
    else sumBytes(line, { size, perPixel, little });
  }
};

interface Line {
  readonly size: number;
  readonly perPixel: number;
  readonly little: boolean;
}

/** Each sample is the difference from the one of the pixel before. */
const sumSamples = (line: Uint8Array, { size, perPixel, little }: Line): void => {
  const view = new DataView(line.buffer, line.byteOffset, line.byteLength);
  for (let at = perPixel * size; at < line.length; at += size) {
    const before = at - perPixel * size;
    if (size === 1) view.setUint8(at, view.getUint8(at) + view.getUint8(before));
    else if (size === 2) {
      view.setUint16(at, view.getUint16(at, little) + view.getUint16(before, little), little);
    } else view.setUint32(at, view.getUint32(at, little) + view.getUint32(before, little), little);
  }
};

/** The bytes of a row lie by significance, the highest first, as differences. */
const sumBytes = (line: Uint8Array, { size, perPixel, little }: Line): void => {
  for (let at = perPixel; at < line.length; at += 1) {
    line[at] = ((line[at] ?? 0) + (line[at - perPixel] ?? 0)) & 0xff;
  }
  const sorted = line.slice();
  const samples = line.length / size;
  for (let n = 0; n < samples; n += 1) {
    for (let byte = 0; byte < size; byte += 1) {
      const to = little ? size - 1 - byte : byte;
      line[n * size + to] = sorted[byte * samples + n] ?? 0;
    }
  }
};
