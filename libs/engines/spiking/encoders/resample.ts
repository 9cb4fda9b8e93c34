/** Brings arrays of any size to the shape a network reads. */

export interface NumberGrid {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const outerOf = (shape: readonly number[], axis: number): number =>
  shape.slice(0, axis).reduce((product, length) => product * length, 1);

/** One element along an axis: linear between its neighbours. */
const interpolated = (line: Float32Array, place: number): number => {
  const left = Math.min(line.length - 1, Math.floor(place));
  const right = Math.min(line.length - 1, left + 1);
  const share = place - left;
  return (line[left] ?? 0) * (1 - share) + (line[right] ?? 0) * share;
};

const resampledLine = (line: Float32Array, length: number): Float32Array => {
  const step = length === 1 ? 0 : (line.length - 1) / (length - 1);
  return Float32Array.from({ length }, (_, index) => interpolated(line, index * step));
};

/** Spikes stay spikes: an element fires when any element that falls into it does. */
const binnedLine = (line: Float32Array, length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => {
    const from = Math.floor((index * line.length) / length);
    const to = Math.max(from + 1, Math.ceil(((index + 1) * line.length) / length));
    return line.subarray(from, to).some((value) => value !== 0) ? 1 : 0;
  });

const alongAxis = (
  grid: NumberGrid,
  axis: number,
  length: number,
  isBinary: boolean,
): NumberGrid => {
  const { shape, values } = grid;
  const old = shape[axis] ?? 1;
  if (old === length) return grid;
  const inner = values.length / outerOf(shape, axis + 1);
  const resized = new Float32Array((values.length / old) * length);
  const line = new Float32Array(old);
  for (let outer = 0; outer < outerOf(shape, axis); outer += 1) {
    for (let place = 0; place < inner; place += 1) {
      for (let index = 0; index < old; index += 1) {
        line[index] = values[(outer * old + index) * inner + place] ?? 0;
      }
      const fresh = (isBinary ? binnedLine : resampledLine)(line, length);
      for (const [index, value] of fresh.entries()) {
        resized[(outer * length + index) * inner + place] = value;
      }
    }
  }
  return { shape: shape.map((size, at) => (at === axis ? length : size)), values: resized };
};

/** Resamples axis by axis. Both shapes have as many axes. Bins spikes, interpolates numbers. */
export const resample = (
  grid: NumberGrid,
  shape: readonly number[],
  isBinary: boolean,
): Float32Array => {
  const spikes = isBinary ? grid.values.map((value) => (value === 0 ? 0 : 1)) : grid.values;
  return shape.reduce((resized, length, axis) => alongAxis(resized, axis, length, isBinary), {
    shape: grid.shape,
    values: spikes,
  }).values;
};
