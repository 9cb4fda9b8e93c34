/** The formats of llama.cpp for weights that are -1, 0 or 1 times a scale. */
import { type BlockFormat } from './block-format.js';
import { Q4_0 } from './linear-formats.js';

const BLOCK = 256;

const f32 = Math.fround;

const scaleOf = (weights: Float32Array, at: number, count = BLOCK): number => {
  let largest = 0;
  for (let index = at; index < at + count; index += 1) {
    largest = Math.max(largest, Math.abs(weights[index] ?? 0));
  }
  return largest;
};

/** 0, 1 or 2. Half is rounded away from zero, as C's `lroundf`. */
const tritOf = (weight: number, inverse: number): number => {
  const scaled = f32(weight * inverse);
  return Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5) + 1;
};

/** Reads the trits of a block and the scale behind them. */
const decodeWith =
  (scaleAt: number, tritAt: (bytes: DataView, index: number) => number): BlockFormat['decode'] =>
  (bytes, weights, at) => {
    const scale = bytes.getFloat16(scaleAt, true);
    for (let index = 0; index < BLOCK; index += 1) {
      weights[at + index] = (tritAt(bytes, index) - 1) * scale;
    }
  };

const TWO_BIT_BYTES = 64;

/** Two bits for a weight. Byte `m` of a half block has weights `m`, `m + 32` and so on, to four. */
export const TQ2_0: BlockFormat = {
  name: 'TQ2_0',
  type: 35,
  blockWeights: BLOCK,
  blockBytes: TWO_BIT_BYTES + 2,
  encode: (weights, at, bytes) => {
    const scale = scaleOf(weights, at);
    const inverse = scale === 0 ? 0 : f32(1 / scale);
    for (let place = 0; place < TWO_BIT_BYTES; place += 1) {
      const first = at + Math.floor(place / 32) * 128 + (place % 32);
      let byte = 0;
      for (let part = 0; part < 4; part += 1) {
        byte |= (tritOf(weights[first + part * 32] ?? 0, inverse) & 3) << (2 * part);
      }
      bytes.setUint8(place, byte);
    }
    bytes.setFloat16(TWO_BIT_BYTES, scale, true);
  },
  decode: decodeWith(TWO_BIT_BYTES, (bytes, index) => {
    const inHalf = index % 128;
    const byte = bytes.getUint8(Math.floor(index / 128) * 32 + (inHalf % 32));
    return (byte >> (2 * Math.floor(inHalf / 32))) & 3;
  }),
};

/** A byte has the weights `first + k * step`; one of the last bytes has four, the others five. */
interface Digits {
  readonly first: number;
  readonly step: number;
  readonly count: 4 | 5;
}

const digitsOf = (place: number): Digits => {
  if (place < 32) return { first: place, step: 32, count: 5 };
  if (place < 48) return { first: 160 + place - 32, step: 16, count: 5 };
  return { first: 240 + place - 48, step: 4, count: 4 };
};

const BASE_THREE_BYTES = 52;

/** By the index of a weight: its byte, and its digit in it, the most significant first. */
const PLACES: readonly { readonly place: number; readonly digit: number }[] = (() => {
  const places = new Array<{ place: number; digit: number }>(BLOCK);
  for (let place = 0; place < BASE_THREE_BYTES; place += 1) {
    const { first, step, count } = digitsOf(place);
    for (let digit = 0; digit < count; digit += 1) places[first + digit * step] = { place, digit };
  }
  return places;
})();

/**
 * Five weights in a byte. The byte is the number of base three as a fraction of 256, rounded up, so
 * that a digit is the overflow of a product with a power of three.
 */
export const TQ1_0: BlockFormat = {
  name: 'TQ1_0',
  type: 34,
  blockWeights: BLOCK,
  blockBytes: BASE_THREE_BYTES + 2,
  encode: (weights, at, bytes) => {
    const scale = scaleOf(weights, at);
    const inverse = scale === 0 ? 0 : f32(1 / scale);
    for (let place = 0; place < BASE_THREE_BYTES; place += 1) {
      const { first, step, count } = digitsOf(place);
      let number = 0;
      for (let digit = 0; digit < 5; digit += 1) {
        const weight = weights[at + first + digit * step] ?? 0;
        number = 3 * number + (digit < count ? tritOf(weight, inverse) : 0);
      }
      bytes.setUint8(place, Math.floor((number * 256 + 242) / 243));
    }
    bytes.setFloat16(BASE_THREE_BYTES, scale, true);
  },
  decode: decodeWith(BASE_THREE_BYTES, (bytes, index) => {
    const { place = 0, digit = 0 } = PLACES[index] ?? {};
    return (((bytes.getUint8(place) * 3 ** digit) & 255) * 3) >> 8;
  }),
};

/**
 * Blocks of Q4_0 whose 32 weights are -1, 0 or 1 times their scale: llama.cpp reads them without
 * loss, where its own encoder would round one of the signs to 7/8.
 */
export const TRITS_IN_Q4_0: BlockFormat = {
  ...Q4_0,
  encode: (weights, at, bytes) => {
    const scale = scaleOf(weights, at, Q4_0.blockWeights);
    const inverse = scale === 0 ? 0 : f32(1 / scale);
    const half = Q4_0.blockWeights / 2;
    const quantOf = (index: number): number => tritOf(weights[at + index] ?? 0, inverse) + 7;
    bytes.setFloat16(0, scale, true);
    for (let index = 0; index < half; index += 1) {
      bytes.setUint8(2 + index, quantOf(index) | (quantOf(index + half) << 4));
    }
  },
};
