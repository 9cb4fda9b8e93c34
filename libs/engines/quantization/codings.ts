/** The ways in which the weights of a matrix are stored. */
import { type BlockFormat, encodedBytes, holdsRows } from './formats/block-format.js';
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from './formats/linear-formats.js';
import { TRITS_IN_Q4_0, TQ2_0 } from './formats/ternary-formats.js';

export const CODINGS = ['BITNET', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'F32'] as const;
export type Coding = (typeof CODINGS)[number];

const LINEAR = { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } as const;

/** llama.cpp's number of 32-bit floats. */
export const FLOAT_32 = 0;

/**
 * The format in a file; null for 32-bit floats. Rows that no whole block of TQ2_0 fills keep their
 * trits, without loss, as three of the sixteen values of Q4_0.
 * @throws RangeError where llama.cpp has no block for rows of this length
 */
export const formatOf = (coding: Coding, rowLength: number): BlockFormat | null => {
  if (coding === 'F32') return null;
  const formats = coding === 'BITNET' ? [TQ2_0, TRITS_IN_Q4_0] : [LINEAR[coding]];
  const format = formats.find((one) => holdsRows(one, rowLength));
  if (format === undefined) throw new RangeError(`${coding} has no rows of ${rowLength}`);
  return format;
};

/** The bytes of a matrix in a file. */
export const codedBytes = (
  coding: Coding,
  [rowLength = 0, rows = 1]: readonly number[],
): number => {
  const format = formatOf(coding, rowLength);
  return format === null ? 4 * rowLength * rows : encodedBytes(format, rowLength * rows);
};
