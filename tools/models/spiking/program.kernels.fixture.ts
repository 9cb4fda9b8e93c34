/** The operations of the programs in cards, in plain loops. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface ProgramStep {
  readonly op: string;
  readonly [detail: string]: unknown;
}

export const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, one) => product * one, 1);

/** `[before, length, behind]`: the parts of a shape around one axis. */
const around = (shape: readonly number[], axis: number): readonly [number, number, number] => [
  sizeOf(shape.slice(0, axis)),
  shape[axis] ?? 1,
  sizeOf(shape.slice(axis + 1)),
];

export const at = (values: ArrayLike<number>, index: number): number => values[index] ?? 0;

/** The index of every place of `shape`, row-major. */
const placesOf = (shape: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: sizeOf(shape) }, (_, flat) => {
    const place = new Array<number>(shape.length).fill(0);
    let rest = flat;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      place[axis] = rest % at(shape, axis);
      rest = Math.floor(rest / at(shape, axis));
    }
    return place;
  });

const flatOf = (place: readonly number[], shape: readonly number[]): number =>
  shape.reduce((flat, length, axis) => flat * length + at(place, axis), 0);

export const elementwise = (
  a: Tensor,
  b: Tensor,
  combine: (a: number, b: number) => number,
): Tensor => {
  const rank = Math.max(a.shape.length, b.shape.length);
  const padded = ({ shape }: Tensor) => [
    ...new Array<number>(rank - shape.length).fill(1),
    ...shape,
  ];
  const [left, right] = [padded(a), padded(b)];
  const shape = left.map((length, axis) => Math.max(length, at(right, axis)));
  const read = (tensor: Tensor, own: readonly number[], place: readonly number[]): number =>
    at(
      tensor.values,
      flatOf(
        place.map((index, axis) => (own[axis] === 1 ? 0 : index)),
        own,
      ),
    );
  const values = placesOf(shape).map((place) =>
    combine(read(a, left, place), read(b, right, place)),
  );
  return { shape, values: Float32Array.from(values) };
};

/** `x W + b` over the last axis of rows. */
export const rowsTimes = (x: Tensor, weight: Tensor, bias: Tensor | undefined): Tensor => {
  const [inputs = 1, out = 1] = weight.shape;
  const rows = x.values.length / inputs;
  const values = new Float32Array(rows * out);
  for (let row = 0; row < rows; row += 1) {
    for (let o = 0; o < out; o += 1) {
      let sum = bias ? at(bias.values, o) : 0;
      for (let i = 0; i < inputs; i += 1) {
        sum += at(x.values, row * inputs + i) * at(weight.values, i * out + o);
      }
      values[row * out + o] = sum;
    }
  }
  return { shape: [...x.shape.slice(0, -1), out], values };
};

/** Pictures `[steps, batch, rows, columns, channels]`; `W` is `[kernel, kernel, channels, out]`. */
export const convolution = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
  step: ProgramStep,
): Tensor => {
  const [stride, padding] = [Number(step['stride']), Number(step['padding'])];
  const [steps = 1, batch = 1, rows = 1, columns = 1, channels = 1] = x.shape;
  const [kernel = 1, , , out = 1] = weight.shape;
  const outputs = (length: number): number => Math.floor((length - 1) / stride) + 1;
  const shape = [steps, batch, outputs(rows), outputs(columns), out];
  const values = placesOf(shape).map(([time = 0, picture = 0, row = 0, column = 0, o = 0]) => {
    let sum = bias ? at(bias.values, o) : 0;
    for (let tap = 0; tap < kernel * kernel; tap += 1) {
      const [down, across] = [Math.floor(tap / kernel), tap % kernel];
      const [r, c] = [row * stride + down - padding, column * stride + across - padding];
      if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
      for (let channel = 0; channel < channels; channel += 1) {
        const value = at(x.values, flatOf([time, picture, r, c, channel], x.shape));
        sum += value * at(weight.values, (tap * channels + channel) * out + o);
      }
    }
    return sum;
  });
  return { shape, values: Float32Array.from(values) };
};

/** The mean of `x W` over the nodes that have an edge to a node, plus the bias. */
export const graph = (
  x: Tensor,
  edges: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
): Tensor => {
  const messages = rowsTimes(x, weight, undefined);
  const [steps = 1, batch = 1, nodes = 1, out = 1] = messages.shape;
  const matrices = edges.values.length / (nodes * nodes);
  const values = placesOf([steps, batch, nodes, out]).map(
    ([time = 0, one = 0, node = 0, o = 0]) => {
      const matrix = ((time * batch + one) % matrices) * nodes * nodes;
      let [sum, degree] = [0, 0];
      for (let from = 0; from < nodes; from += 1) {
        if (at(edges.values, matrix + from * nodes + node) === 0) continue;
        sum += at(messages.values, flatOf([time, one, from, o], messages.shape));
        degree += 1;
      }
      return sum / Math.max(1, degree) + (bias ? at(bias.values, o) : 0);
    },
  );
  return { shape: messages.shape, values: Float32Array.from(values) };
};

export const product = (a: Tensor, b: Tensor): Tensor => {
  const [m = 1, k = 1] = a.shape.slice(-2);
  const n = b.shape.at(-1) ?? 1;
  const shape = [...a.shape.slice(0, -1), n];
  const values = new Float32Array(sizeOf(shape));
  for (let flat = 0; flat < values.length; flat += 1) {
    const [row, column] = [Math.floor(flat / n), flat % n];
    const slice = Math.floor(row / m);
    let sum = 0;
    for (let inner = 0; inner < k; inner += 1) {
      sum += at(a.values, row * k + inner) * at(b.values, (slice * k + inner) * n + column);
    }
    values[flat] = sum;
  }
  return { shape, values };
};

/** The uniform cubic B-splines on `cells` cells of [low, high], `cells + 3` for each number. */
export const splines = (x: Tensor, step: ProgramStep): Tensor => {
  const [low, high, cells] = [Number(step['low']), Number(step['high']), Number(step['cells'])];
  const pieces = [...x.values].flatMap((value) => {
    const place = (cells * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
    const cell = Math.min(cells - 1, Math.floor(place));
    const s = place - cell;
    const four = [
      (1 - s) ** 3,
      3 * s ** 3 - 6 * s ** 2 + 4,
      -3 * s ** 3 + 3 * s ** 2 + 3 * s + 1,
      s ** 3,
    ];
    return Array.from({ length: cells + 3 }, (_, at0) => (four[at0 - cell] ?? 0) / 6);
  });
  const shape = [...x.shape.slice(0, -1), (x.shape.at(-1) ?? 1) * (cells + 3)];
  return { shape, values: Float32Array.from(pieces) };
};

export const softmax = (x: Tensor): Tensor => {
  const width = x.shape.at(-1) ?? 1;
  const values = new Float32Array(x.values.length);
  for (let row = 0; row < values.length; row += width) {
    const own = x.values.subarray(row, row + width);
    const top = Math.max(...own);
    const total = own.reduce((sum, value) => sum + Math.exp(value - top), 0);
    own.forEach((value, index) => (values[row + index] = Math.exp(value - top) / total));
  }
  return { shape: x.shape, values };
};

/** The axis disappears; axes 0 and 1, time and batch, stay with length 1. */
export const reduced = (x: Tensor, axis: number, isMean: boolean): Tensor => {
  const [before, length, behind] = around(x.shape, axis);
  const values = new Float32Array(before * behind);
  for (let place = 0; place < values.length; place += 1) {
    const start = Math.floor(place / behind) * length * behind + (place % behind);
    let sum = 0;
    for (let index = 0; index < length; index += 1) sum += at(x.values, start + index * behind);
    values[place] = isMean ? Math.fround(sum) / length : sum;
  }
  const shape = x.shape.toSpliced(axis, 1, ...(axis < 2 ? [1] : []));
  return { shape, values };
};

export const transposed = (x: Tensor, permutation: readonly number[]): Tensor => {
  const shape = permutation.map((axis) => at(x.shape, axis));
  const values = placesOf(shape).map((place) => {
    const from = new Array<number>(place.length).fill(0);
    permutation.forEach((axis, index) => (from[axis] = at(place, index)));
    return at(x.values, flatOf(from, x.shape));
  });
  return { shape, values: Float32Array.from(values) };
};

export const joined = (tensors: readonly Tensor[], axis: number): Tensor => {
  const [first] = tensors;
  const length = tensors.reduce((sum, { shape }) => sum + at(shape, axis), 0);
  const shape = (first?.shape ?? []).with(axis, length);
  const [before] = around(shape, axis);
  const rows = Array.from({ length: before }, (_, row) =>
    tensors.flatMap((tensor) => {
      const width = tensor.values.length / before;
      return [...tensor.values.subarray(row * width, (row + 1) * width)];
    }),
  );
  return { shape, values: Float32Array.from(rows.flat()) };
};

export const sliced = (x: Tensor, step: ProgramStep): Tensor => {
  const [axis, from, length] = [Number(step['axis']), Number(step['from']), Number(step['length'])];
  const shape = x.shape.with(axis, length);
  const values = placesOf(shape).map((place) =>
    at(x.values, flatOf(place.with(axis, at(place, axis) + from), x.shape)),
  );
  return { shape, values: Float32Array.from(values) };
};
