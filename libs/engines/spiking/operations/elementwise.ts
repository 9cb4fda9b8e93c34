/** Elementwise functions, reductions and moves of typed arrays. Nothing here counts. */
import { type ElementFunction } from './operations.js';
import { sizeOf, stridesOf } from './tensor.js';

interface Data {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** @throws RangeError for shapes that do not broadcast */
export const broadcastShape = (a: readonly number[], b: readonly number[]): readonly number[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, place) => {
    const back = place - Math.max(a.length, b.length);
    const [one, other] = [a.at(back) ?? 1, b.at(back) ?? 1];
    const [left, right] = [back < -a.length ? 1 : one, back < -b.length ? 1 : other];
    if (left === right || right === 1) return left;
    if (left === 1) return right;
    throw new RangeError(`[${a.join(', ')}] and [${b.join(', ')}] do not broadcast`);
  });

/** For each element of `shape`, the place of the element of a smaller tensor that it meets. */
const placesOf = (from: readonly number[], shape: readonly number[]): Uint32Array => {
  const strides = stridesOf(from);
  const steps = shape.map((_, axis) => {
    const own = axis - (shape.length - from.length);
    return own < 0 || from[own] === 1 ? 0 : (strides[own] ?? 0);
  });
  return walk(shape, steps);
};

/** The places that are visited when the axes of `shape` are walked with these steps. */
const walk = (shape: readonly number[], steps: readonly number[]): Uint32Array => {
  let places = new Uint32Array(1);
  for (const [axis, length] of shape.entries()) {
    const next = new Uint32Array(places.length * length);
    const step = steps[axis] ?? 0;
    for (let outer = 0; outer < places.length; outer += 1) {
      for (let index = 0; index < length; index += 1) {
        next[outer * length + index] = (places[outer] ?? 0) + index * step;
      }
    }
    places = next;
  }
  return places;
};

/** The elements of a smaller tensor, repeated until it has the shape. */
const spread = ({ shape: from, values }: Data, shape: readonly number[]): Float32Array => {
  const size = sizeOf(shape);
  if (values.length === size) return values;
  const whole = new Float32Array(size);
  if (values.length === 1) return whole.fill(values[0] ?? 0);
  const places = placesOf(from, shape);
  for (let index = 0; index < size; index += 1) whole[index] = values[places[index] ?? 0] ?? 0;
  return whole;
};

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((length, axis) => length === b[axis]);

export const combine = (operation: 'add' | 'subtract' | 'multiply', a: Data, b: Data): Data => {
  const shape = isSame(a.shape, b.shape) ? a.shape : broadcastShape(a.shape, b.shape);
  const [left, right] = [spread(a, shape), spread(b, shape)];
  const { length } = left;
  const values = new Float32Array(length);
  // A loop for each operation: a call for each element would cost more than the operation.
  switch (operation) {
    case 'add':
      for (let at = 0; at < length; at += 1) values[at] = (left[at] ?? 0) + (right[at] ?? 0);
      break;
    case 'subtract':
      for (let at = 0; at < length; at += 1) values[at] = (left[at] ?? 0) - (right[at] ?? 0);
      break;
    case 'multiply':
      for (let at = 0; at < length; at += 1) values[at] = (left[at] ?? 0) * (right[at] ?? 0);
      break;
  }
  return { shape, values };
};

export const scaled = (values: Float32Array, factor: number): Float32Array => {
  const products = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += 1) products[at] = (values[at] ?? 0) * factor;
  return products;
};

export const divided = (values: Float32Array, divisor: number): Float32Array => {
  const quotients = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += 1) quotients[at] = (values[at] ?? 0) / divisor;
  return quotients;
};

const ELEMENT_FUNCTIONS: Readonly<Record<ElementFunction, (value: number) => number>> = {
  relu: (value) => Math.max(0, value),
  tanh: Math.tanh,
  sigmoid: (value) => 1 / (1 + Math.exp(-value)),
  exp: Math.exp,
  log: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  square: (value) => value * value,
  softplus: (value) => Math.max(0, value) + Math.log1p(Math.exp(-Math.abs(value))),
};

export const mapped = (values: Float32Array, element: ElementFunction): Float32Array => {
  const apply = ELEMENT_FUNCTIONS[element];
  const results = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += 1) results[at] = apply(values[at] ?? 0);
  return results;
};

export const softmaxRows = (values: Float32Array, width: number): Float32Array => {
  const shares = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += width) {
    const row = values.subarray(at, at + width);
    const top = row.reduce((best, value) => Math.max(best, value), -Infinity);
    let total = 0;
    for (const value of row) total += Math.exp(value - top);
    for (const [index, value] of row.entries()) shares[at + index] = Math.exp(value - top) / total;
  }
  return shares;
};

/** Sums over one axis, which disappears, or stays with length 1 when it is time or the batch. */
export const sumOver = ({ shape, values }: Data, axis: number): Data => {
  const at = axis < 0 ? axis + shape.length : axis;
  const length = shape[at] ?? 1;
  const inner = sizeOf(shape.slice(at + 1));
  const outer = sizeOf(shape.slice(0, at));
  const sums = new Float64Array(outer * inner);
  for (let block = 0; block < outer; block += 1) {
    for (let index = 0; index < length; index += 1) {
      const from = (block * length + index) * inner;
      const to = block * inner;
      for (let place = 0; place < inner; place += 1) {
        sums[to + place] = (sums[to + place] ?? 0) + (values[from + place] ?? 0);
      }
    }
  }
  const kept = at < 2 ? [1] : [];
  const left = [...shape.slice(0, at), ...kept, ...shape.slice(at + 1)];
  return { shape: left, values: new Float32Array(sums) };
};

export const transposed = ({ shape, values }: Data, permutation: readonly number[]): Data => {
  const strides = stridesOf(shape);
  const turned = permutation.map((axis) => shape[axis] ?? 1);
  const places = walk(
    turned,
    permutation.map((axis) => strides[axis] ?? 0),
  );
  const moved = new Float32Array(places.length);
  for (let at = 0; at < places.length; at += 1) moved[at] = values[places[at] ?? 0] ?? 0;
  return { shape: turned, values: moved };
};

export const sliced = (
  { shape, values }: Data,
  axis: number,
  from: number,
  length: number,
): Data => {
  const at = axis < 0 ? axis + shape.length : axis;
  const whole = shape[at] ?? 1;
  if (from < 0 || from + length > whole) {
    throw new RangeError(`axis ${axis} has ${whole} places, not ${from} to ${from + length}`);
  }
  const inner = sizeOf(shape.slice(at + 1));
  const outer = sizeOf(shape.slice(0, at));
  const part = new Float32Array(outer * length * inner);
  for (let block = 0; block < outer; block += 1) {
    const start = (block * whole + from) * inner;
    part.set(values.subarray(start, start + length * inner), block * length * inner);
  }
  return { shape: shape.map((size, place) => (place === at ? length : size)), values: part };
};

export const joined = (tensors: readonly Data[], axis: number): Data => {
  const [first] = tensors;
  if (first === undefined) throw new RangeError('nothing to join');
  const at = axis < 0 ? axis + first.shape.length : axis;
  const inner = sizeOf(first.shape.slice(at + 1));
  const outer = sizeOf(first.shape.slice(0, at));
  const lengths = tensors.map(({ shape }) => shape[at] ?? 1);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const values = new Float32Array(outer * total * inner);
  for (let block = 0; block < outer; block += 1) {
    let to = block * total * inner;
    for (const [index, tensor] of tensors.entries()) {
      const size = (lengths[index] ?? 0) * inner;
      values.set(tensor.values.subarray(block * size, (block + 1) * size), to);
      to += size;
    }
  }
  return { shape: first.shape.map((size, place) => (place === at ? total : size)), values };
};
