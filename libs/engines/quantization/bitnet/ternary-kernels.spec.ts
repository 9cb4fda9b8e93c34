import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packTrits } from './packed-trits.js';
import { TernaryKernels } from './ternary-kernels.js';

const kernels = new TernaryKernels();

/** The definition: each trit times each activation. */
const productOf = (trits: Int8Array, activations: Int8Array, width: number): number[] => {
  const [rows, tokens] = [trits.length / width, activations.length / width];
  return Array.from({ length: tokens * rows }, (_, at) => {
    const [token, row] = [Math.floor(at / rows), at % rows];
    let sum = 0;
    for (let column = 0; column < width; column += 1) {
      sum += (trits[row * width + column] ?? 0) * (activations[token * width + column] ?? 0);
    }
    return sum;
  });
};

const cases = fc
  .record({
    width: fc.integer({ min: 1, max: 300 }),
    rows: fc.integer({ min: 1, max: 5 }),
    tokens: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ width, rows, tokens }) => {
    const exactly = (length: number) => ({ minLength: length, maxLength: length });
    return fc.record({
      width: fc.constant(width),
      trits: fc.int8Array({ min: -1, max: 1, ...exactly(width * rows) }),
      activations: fc.int8Array({ min: -127, max: 127, ...exactly(width * tokens) }),
    });
  });

describe('ternary kernels', () => {
  it('give the products of the definition, without a multiplication too', () => {
    fc.assert(
      fc.property(cases, ({ width, trits, activations }) => {
        const packed = packTrits(trits, width);
        const expected = productOf(trits, activations, width);
        expect([...kernels.product('multiply', packed, activations, width)]).toEqual(expected);
        expect([...kernels.product('add_subtract', packed, activations, width)]).toEqual(expected);
      }),
      { numRuns: 60, seed: 32 },
    );
  });

  it('hold the largest sums of a group', () => {
    const width = 128 * 70;
    const ones = new Int8Array(width).fill(1);
    const activations = new Int8Array(2 * width).fill(127).fill(-127, width);
    for (const kernel of ['multiply', 'add_subtract'] as const) {
      const sums = kernels.product(kernel, packTrits(ones, width), activations, width);
      expect([...sums]).toEqual([127 * width, -127 * width]);
    }
  });
});
