import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseCodings, type CodingOption } from './bit-choice.js';

const option = fc.record({
  coding: fc.constantFrom('Q4_0', 'Q8_0'),
  bytes: fc.integer({ min: 1, max: 100 }).map((hundreds) => hundreds * 100),
  nats: fc.float({ min: 0, max: 10, noNaN: true }),
}) as fc.Arbitrary<CodingOption>;

const sums = (chosen: readonly CodingOption[]): { bytes: number; nats: number } => ({
  bytes: chosen.reduce((sum, { bytes }) => sum + bytes, 0),
  nats: chosen.reduce((sum, { nats }) => sum + nats, 0),
});

const everyChoice = (options: readonly (readonly CodingOption[])[]): CodingOption[][] =>
  options.reduce<CodingOption[][]>(
    (choices, ofTensor) => choices.flatMap((choice) => ofTensor.map((one) => [...choice, one])),
    [[]],
  );

describe('a choice of codings', () => {
  it('is the best of all that fit', () => {
    const tensors = fc.array(fc.array(option, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      // Of 4,096 parts of a budget of 409,600 bytes each has 100, as each option is a multiple of.
      fc.property(tensors, fc.integer({ min: 1, max: 4 }), (options, scale) => {
        const small = options.map((all) =>
          all.map((one) => ({ ...one, bytes: one.bytes * 10 * scale })),
        );
        const budget = 409_600;
        const fitting = everyChoice(small).filter((choice) => sums(choice).bytes <= budget);
        const best = Math.min(...fitting.map((choice) => sums(choice).nats));
        const chosen = chooseCodings(small, budget);
        if (fitting.length === 0) expect(chosen).toBeNull();
        else {
          expect(sums(chosen ?? []).bytes).toBeLessThanOrEqual(budget);
          expect(sums(chosen ?? []).nats).toBeCloseTo(best, 6);
        }
      }),
      { numRuns: 60, seed: 32 },
    );
  });
});
