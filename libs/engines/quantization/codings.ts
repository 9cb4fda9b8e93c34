/** The ways in which the weights of a matrix are stored. */
import { type GgufTensorInfo } from '../language-model/gguf.header.js';
import {
  bytesIn,
  type ReadableFormat,
  readableFormat,
} from '../llama-layers/formats/readable-formats.js';
import { type BlockFormat, encodedBytes, holdsRows } from '../llama-layers/formats/block-format.js';
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from '../llama-layers/formats/linear-formats.js';
import { TRITS_IN_Q4_0, TQ2_0 } from '../llama-layers/formats/ternary-formats.js';

/** `F32` is the format that the source has, which is computed with in 32-bit floats. */
export const CODINGS = ['BITNET', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'F32'] as const;
export type Coding = (typeof CODINGS)[number];

const LINEAR = { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } as const;

/**
 * The format in a file; null where the tensor stays as it is. Rows that no whole block of TQ2_0
 * fills keep their trits, without loss, as three of the sixteen values of Q4_0.
 * @throws RangeError where llama.cpp has no block for rows of this length
 */
export const formatOf = (coding: Coding, rowLength: number): BlockFormat | null => {
  if (coding === 'F32') return null;
  const formats = coding === 'BITNET' ? [TQ2_0, TRITS_IN_Q4_0] : [LINEAR[coding]];
  const format = formats.find((one) => holdsRows(one, rowLength));
  if (format === undefined) throw new RangeError(`${coding} has no rows of ${rowLength}`);
  return format;
};

type Stored = Pick<GgufTensorInfo, 'dimensions' | 'type'>;

/** @throws RangeError for a format that is not read */
export const storedFormat = ({ type }: Pick<Stored, 'type'>): ReadableFormat => {
  const format = readableFormat(type);
  if (format === undefined) throw new RangeError(`tensors of type ${type} are not read`);
  return format;
};

/** The bytes of a tensor of the source in a file. */
export const storedBytes = (tensor: Stored): number =>
  bytesIn(storedFormat(tensor), tensor.dimensions);

/** The bytes of a matrix in a file. */
export const codedBytes = (coding: Coding, matrix: Stored): number => {
  const [rowLength = 0, rows = 1] = matrix.dimensions;
  const format = formatOf(coding, rowLength);
  return format === null ? storedBytes(matrix) : encodedBytes(format, rowLength * rows);
};
