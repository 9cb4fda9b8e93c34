/** The formats of tensors that are computed here, whatever they are stored in: 32-bit floats. */
import { type FloatType, floatsOf } from '#platform/safetensors/safetensors.js';
import { type BlockFormat, decodeTensor } from './block-format.js';
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from './linear-formats.js';
import { TQ1_0, TQ2_0 } from './ternary-formats.js';

export interface ReadableFormat {
  /** llama.cpp's name of it. */
  readonly name: string;
  /** llama.cpp's number of it in files. */
  readonly type: number;
  readonly blockWeights: number;
  readonly blockBytes: number;
  readonly read: (bytes: Uint8Array) => Float32Array<ArrayBuffer>;
}

const float = (name: FloatType, type: number, blockBytes: number): ReadableFormat => ({
  name,
  type,
  blockWeights: 1,
  blockBytes,
  read: (bytes) => floatsOf(bytes, name),
});

const blocks = (format: BlockFormat): ReadableFormat => ({
  ...format,
  read: (bytes) => decodeTensor(format, bytes),
});

/** llama.cpp's number of 32-bit floats. */
export const FLOAT_32 = 0;

const FORMATS: ReadonlyMap<number, ReadableFormat> = new Map(
  [
    float('F32', FLOAT_32, 4),
    float('F16', 1, 2),
    float('BF16', 30, 2),
    ...[Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, TQ1_0, TQ2_0].map(blocks),
  ].map((format) => [format.type, format]),
);

export const READABLE_NAMES = [...FORMATS.values()].map(({ name }) => name);

/** By llama.cpp's number; undefined for a format that is not computed here. */
export const readableFormat = (type: number): ReadableFormat | undefined => FORMATS.get(type);

/** The bytes of a tensor in a file: its rows are whole blocks. */
export const bytesIn = (
  { blockWeights, blockBytes }: ReadableFormat,
  dimensions: readonly number[],
): number => dimensions.reduce((product, side) => product * side, blockBytes) / blockWeights;
