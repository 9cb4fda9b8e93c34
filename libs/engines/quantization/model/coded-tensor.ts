import { ternarize } from '../bitnet/ternarize.js';
import { type Coding, FLOAT_32, formatOf } from '../codings.js';
import { decodeTensor, encodeTensor } from '../formats/block-format.js';

/** A tensor as a file holds it, and the weights that are read back from it. */
export interface CodedTensor {
  readonly coding: Coding;
  /** llama.cpp's name of the format in the file. */
  readonly format: string;
  /** llama.cpp's number of it. */
  readonly type: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly restored: Float32Array<ArrayBuffer>;
  /** Of a ternary tensor: its trits and their scale, which the file holds in 16 bits. */
  readonly ternary: { readonly trits: Int8Array; readonly scale: number } | null;
}

/** @throws RangeError where the coding has no rows of this length */
export const codeTensor = (
  weights: Float32Array<ArrayBuffer>,
  rowLength: number,
  coding: Coding,
): CodedTensor => {
  const format = formatOf(coding, rowLength);
  if (format === null) {
    const bytes = new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength);
    return { coding, format: 'F32', type: FLOAT_32, bytes, restored: weights, ternary: null };
  }
  const ternary = coding === 'BITNET' ? storedTrits(weights) : null;
  const bytes = encodeTensor(format, ternary === null ? weights : scaled(ternary));
  const { name, type } = format;
  return { coding, format: name, type, bytes, restored: decodeTensor(format, bytes), ternary };
};

const storedTrits = (weights: Float32Array): { trits: Int8Array; scale: number } => {
  const { trits, scale } = ternarize(weights);
  return { trits, scale: Math.f16round(scale) };
};

const scaled = ({ trits, scale }: { trits: Int8Array; scale: number }): Float32Array =>
  Float32Array.from(trits, (trit) => trit * scale);
