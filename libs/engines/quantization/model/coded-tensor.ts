import { ternarize } from '../bitnet/ternarize.js';
import { type Coding, formatOf } from '../codings.js';
import { decodeTensor, encodeTensor } from '../../llama-layers/formats/block-format.js';
import { type ReadableFormat } from '../../llama-layers/formats/readable-formats.js';

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

/** A tensor of the source. */
export interface SourceTensor {
  readonly rowLength: number;
  readonly format: Pick<ReadableFormat, 'name' | 'type'>;
  /** As the file has it. */
  readonly stored: () => Uint8Array<ArrayBuffer>;
  readonly weights: Float32Array<ArrayBuffer>;
}

/** @throws RangeError where the coding has no rows of this length */
export const codeTensor = (
  { rowLength, format: source, stored, weights }: SourceTensor,
  coding: Coding,
): CodedTensor => {
  const format = formatOf(coding, rowLength);
  if (format === null) {
    const { name, type } = source;
    return { coding, format: name, type, bytes: stored(), restored: weights, ternary: null };
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
