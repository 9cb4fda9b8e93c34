/** Convolutions of one picture `[height, width, channels]`, dense and event-driven. */

export interface ConvolutionShape {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly kernel: number;
  readonly stride: number;
  readonly out: number;
}

export const outputLength = (length: number, stride: number): number =>
  Math.floor((length - 1) / stride) + 1;

/** `weight` is `[kernel, kernel, channels, out]`, `y` holds the bias and is added to. */
export type PictureConvolution = (
  x: Float32Array,
  weight: Float32Array,
  y: Float64Array,
  shape: ConvolutionShape,
) => void;

/** The first and last outputs along one axis that an input at `place` reaches. */
const reachOf = (
  place: number,
  { kernel, stride }: ConvolutionShape,
  outputs: number,
): readonly [number, number] => {
  const half = (kernel - 1) / 2;
  const first = Math.max(0, Math.ceil((place - half) / stride));
  const last = Math.min(outputs - 1, Math.floor((place + half) / stride));
  return [first, last];
};

/** The number of outputs along one axis that each input reaches: bounds cut it at the edges. */
export const reachesOf = (length: number, shape: ConvolutionShape): readonly number[] =>
  Array.from({ length }, (_, place) => {
    const [first, last] = reachOf(place, shape, outputLength(length, shape.stride));
    return Math.max(0, last - first + 1);
  });

export const eventConvolution: PictureConvolution = (x, weight, y, shape) => {
  const { height, width, channels, kernel, stride, out } = shape;
  const half = (kernel - 1) / 2;
  const [rows, columns] = [outputLength(height, stride), outputLength(width, stride)];
  for (let place = 0; place < height * width; place += 1) {
    const [row, column] = [Math.floor(place / width), place % width];
    const [top, bottom] = reachOf(row, shape, rows);
    const [left, right] = reachOf(column, shape, columns);
    for (let channel = 0; channel < channels; channel += 1) {
      const value = x[place * channels + channel] ?? 0;
      if (value === 0) continue;
      for (let i = top; i <= bottom; i += 1) {
        const tapRow = row - i * stride + half;
        for (let j = left; j <= right; j += 1) {
          const tap = tapRow * kernel + (column - j * stride + half);
          const from = (tap * channels + channel) * out;
          const to = (i * columns + j) * out;
          for (let o = 0; o < out; o += 1) {
            y[to + o] = (y[to + o] ?? 0) + value * (weight[from + o] ?? 0);
          }
        }
      }
    }
  }
};

/** Adds one tap of the kernel to one output: all channels of one input place. */
const addTap = (
  x: Float32Array,
  at: number,
  weight: Float32Array,
  from: number,
  y: Float64Array,
  to: number,
  { channels, out }: ConvolutionShape,
): void => {
  for (let channel = 0; channel < channels; channel += 1) {
    const value = x[at + channel] ?? 0;
    const row = from + channel * out;
    for (let o = 0; o < out; o += 1) y[to + o] = (y[to + o] ?? 0) + value * (weight[row + o] ?? 0);
  }
};

export const denseConvolution: PictureConvolution = (x, weight, y, shape) => {
  const { height, width, channels, kernel, stride, out } = shape;
  const half = (kernel - 1) / 2;
  const [rows, columns] = [outputLength(height, stride), outputLength(width, stride)];
  for (let output = 0; output < rows * columns; output += 1) {
    const top = Math.floor(output / columns) * stride - half;
    const left = (output % columns) * stride - half;
    for (let tap = 0; tap < kernel * kernel; tap += 1) {
      const row = top + Math.floor(tap / kernel);
      const column = left + (tap % kernel);
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      const at = (row * width + column) * channels;
      addTap(x, at, weight, tap * channels * out, y, output * out, shape);
    }
  }
};
