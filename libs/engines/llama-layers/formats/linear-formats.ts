/**
 * The formats with 32 weights and one or two scales for a block. Every step is rounded to 32 bits
 * as llama.cpp's reference encoder rounds it, so that the bytes are equal
 * (`linear-formats.spec.ts`).
 */
import { type BlockFormat } from './block-format.js';

const BLOCK = 32;
const HALF = BLOCK / 2;

const f32 = Math.fround;

const inverseOf = (scale: number): number => (scale === 0 ? 0 : f32(1 / scale));

/** The first weight with the largest magnitude, with its sign. */
const largestOf = (weights: Float32Array, at: number): number => {
  let largest = 0;
  for (let index = at; index < at + BLOCK; index += 1) {
    const weight = weights[index] ?? 0;
    if (Math.abs(weight) > Math.abs(largest)) largest = weight;
  }
  return largest;
};

const rangeOf = (weights: Float32Array, at: number): { min: number; max: number } => {
  let min = Number.MAX_VALUE;
  let max = -Number.MAX_VALUE;
  for (let index = at; index < at + BLOCK; index += 1) {
    const weight = weights[index] ?? 0;
    if (weight < min) min = weight;
    if (weight > max) max = weight;
  }
  return { min, max };
};

/** Half away from zero, as C's `roundf`. */
const roundAway = (value: number): number => Math.sign(value) * Math.floor(Math.abs(value) + 0.5);

/** Where the parts of a block begin; `high` of the fifth bits, absent in formats with four. */
interface Layout {
  readonly bits: 4 | 5;
  readonly high: number | null;
  readonly low: number;
}

/** Two weights share a byte: the first half of the block has the low bits. */
const writeQuants = (
  bytes: DataView,
  { high, low }: Layout,
  quantOf: (index: number) => number,
): void => {
  let fifthBits = 0;
  for (let index = 0; index < HALF; index += 1) {
    const [first, second] = [quantOf(index), quantOf(index + HALF)];
    bytes.setUint8(low + index, (first & 15) | ((second & 15) << 4));
    fifthBits |= ((first >> 4) & 1) << index;
    fifthBits |= ((second >> 4) & 1) << (index + HALF);
  }
  if (high !== null) bytes.setInt32(high, fifthBits, true);
};

const readQuant = (bytes: DataView, { high, low }: Layout, index: number): number => {
  const byte = bytes.getUint8(low + (index % HALF));
  const fifth = high === null ? 0 : (bytes.getInt32(high, true) >>> index) & 1;
  return (index < HALF ? byte & 15 : byte >> 4) | (fifth << 4);
};

/** One scale; the weight with the largest magnitude is the lowest quant. */
const symmetric = (name: string, type: number, layout: Layout): BlockFormat => {
  const zero = 2 ** (layout.bits - 1);
  return {
    name,
    type,
    blockWeights: BLOCK,
    blockBytes: layout.low + HALF,
    encode: (weights, at, bytes) => {
      const scale = f32(largestOf(weights, at) / -zero);
      const inverse = inverseOf(scale);
      bytes.setFloat16(0, scale, true);
      writeQuants(bytes, layout, (index) => {
        const scaled = f32((weights[at + index] ?? 0) * inverse);
        return Math.min(2 * zero - 1, Math.trunc(f32(scaled + f32(zero + 0.5))));
      });
    },
    decode: (bytes, weights, at) => {
      const scale = bytes.getFloat16(0, true);
      for (let index = 0; index < BLOCK; index += 1) {
        weights[at + index] = (readQuant(bytes, layout, index) - zero) * scale;
      }
    },
  };
};

/** A scale and the smallest weight. */
const shifted = (name: string, type: number, layout: Layout): BlockFormat => {
  const highest = 2 ** layout.bits - 1;
  return {
    name,
    type,
    blockWeights: BLOCK,
    blockBytes: layout.low + HALF,
    encode: (weights, at, bytes) => {
      const { min, max } = rangeOf(weights, at);
      const scale = f32(f32(max - min) / highest);
      const inverse = inverseOf(scale);
      bytes.setFloat16(0, scale, true);
      bytes.setFloat16(2, min, true);
      writeQuants(bytes, layout, (index) => {
        const scaled = f32(f32((weights[at + index] ?? 0) - min) * inverse);
        return Math.min(highest, Math.trunc(f32(scaled + 0.5)));
      });
    },
    decode: (bytes, weights, at) => {
      const [scale, min] = [bytes.getFloat16(0, true), bytes.getFloat16(2, true)];
      for (let index = 0; index < BLOCK; index += 1) {
        weights[at + index] = f32(readQuant(bytes, layout, index) * scale) + min;
      }
    },
  };
};

export const Q4_0 = symmetric('Q4_0', 2, { bits: 4, high: null, low: 2 });
export const Q4_1 = shifted('Q4_1', 3, { bits: 4, high: null, low: 4 });
export const Q5_0 = symmetric('Q5_0', 6, { bits: 5, high: 2, low: 6 });
export const Q5_1 = shifted('Q5_1', 7, { bits: 5, high: 4, low: 8 });

const LARGEST_BYTE = 127;

const scaleOfBytes = (weights: Float32Array, at: number): number =>
  f32(Math.abs(largestOf(weights, at)) / LARGEST_BYTE);

/** @param start of the quants in the block. @returns their sum */
const writeBytes = (
  weights: Float32Array,
  at: number,
  scale: number,
  bytes: DataView,
  start: number,
): number => {
  const inverse = inverseOf(scale);
  let sum = 0;
  for (let index = 0; index < BLOCK; index += 1) {
    const quant = roundAway(f32((weights[at + index] ?? 0) * inverse));
    bytes.setInt8(start + index, quant);
    sum += quant;
  }
  return sum;
};

const readBytes = (bytes: DataView, start: number, weights: Float32Array, at: number): void => {
  const scale = bytes.getFloat16(0, true);
  for (let index = 0; index < BLOCK; index += 1) {
    weights[at + index] = bytes.getInt8(start + index) * scale;
  }
};

export const Q8_0: BlockFormat = {
  name: 'Q8_0',
  type: 8,
  blockWeights: BLOCK,
  blockBytes: 2 + BLOCK,
  encode: (weights, at, bytes) => {
    const scale = scaleOfBytes(weights, at);
    bytes.setFloat16(0, scale, true);
    writeBytes(weights, at, scale, bytes, 2);
  },
  decode: (bytes, weights, at) => readBytes(bytes, 2, weights, at),
};

/**
 * The format of activations inside llama.cpp, with the sum of a block beside its scale. llama.cpp
 * loads no model with it, so no file has it.
 */
export const Q8_1: BlockFormat = {
  name: 'Q8_1',
  type: 9,
  blockWeights: BLOCK,
  blockBytes: 4 + BLOCK,
  encode: (weights, at, bytes) => {
    const scale = scaleOfBytes(weights, at);
    const sum = writeBytes(weights, at, scale, bytes, 4);
    bytes.setFloat16(0, scale, true);
    bytes.setFloat16(2, f32(sum * scale), true);
  },
  decode: (bytes, weights, at) => readBytes(bytes, 4, weights, at),
};
