import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { affordable, isWithin, merged } from '#areas/billing/price.js';
import { priceOf } from '#platform/ledger/price.js';
import { type PriceLine } from '#events/hold.vocabulary.js';

const line = (meter: string): fc.Arbitrary<PriceLine> =>
  fc.record({
    meter: fc.constant(meter),
    quantity: fc.nat(10_000_000),
    unitPriceMicroUsd: fc.bigInt(0n, 10n ** 12n).map(String),
    perUnits: fc.oneof(fc.constant(1_000_000), fc.integer({ min: 1, max: 3_600_000 })),
  });

const lines = fc.tuple(line('input_tokens'), line('output_tokens'), line('seconds'));

/** Whether the price is the exact sum rounded up, by cross-multiplication. */
const isSumRoundedUp = (price: bigint, of: readonly PriceLine[]): boolean => {
  const whole = of.reduce((product, { perUnits }) => product * BigInt(perUnits), 1n);
  const sum = of.reduce(
    (total, { quantity, unitPriceMicroUsd, perUnits }) =>
      total + (BigInt(quantity) * BigInt(unitPriceMicroUsd) * whole) / BigInt(perUnits),
    0n,
  );
  return price * whole >= sum && (price - 1n) * whole < sum;
};

describe('prices', () => {
  it('are the exact sum of their lines, rounded up once', () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(isSumRoundedUp(priceOf(all), all)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('do not depend on the order of lines', () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(priceOf([...all].reverse())).toBe(priceOf(all));
      }),
    );
  });

  it('never rise when a quantity falls, so a charge within its bound is within its hold', () => {
    fc.assert(
      fc.property(lines, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (all, shares) => {
        const less = all.map((one, index) => ({
          ...one,
          quantity: Math.floor(one.quantity * (shares[index] ?? 1)),
        }));
        expect(priceOf(less) <= priceOf(all)).toBe(true);
      }),
    );
  });
});

const steps = fc.option(fc.constantFrom('a', 'a/b', 'a/b/c', 'd'), { nil: undefined });

/** Lines of one meter at one price, anywhere in a small tree of work. */
const tree = fc.array(
  fc.tuple(fc.nat(50), steps).map(([quantity, step]): PriceLine => {
    const line = { meter: 'seconds', quantity, unitPriceMicroUsd: '7', perUnits: 3 };
    return step === undefined ? line : { ...line, step };
  }),
  { maxLength: 6 },
);

describe('a charge to a tree of work', () => {
  it('within its hold costs no more than the hold', () => {
    fc.assert(
      fc.property(tree, tree, (charged, held) => {
        fc.pre(isWithin(charged, held));
        expect(priceOf(charged) <= priceOf(held)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of the whole hold is within it, for any partition of the lines', () => {
    fc.assert(
      fc.property(tree, (held) => {
        expect(isWithin(held, merged(held))).toBe(true);
        expect(isWithin(merged(held), held)).toBe(true);
        expect(priceOf(merged(held))).toBe(priceOf(held));
      }),
    );
  });

  it('of one unit above the hold is not within it', () => {
    fc.assert(
      fc.property(tree, fc.nat(), (held, at) => {
        fc.pre(held.length > 0);
        const more = held.map((line, index) =>
          index === at % held.length ? { ...line, quantity: line.quantity + 1 } : line,
        );
        expect(isWithin(more, held)).toBe(false);
      }),
    );
  });
});

describe('what is affordable', () => {
  it('is within the budget and one unit more is not, unless all or the least was given', () => {
    const budget = fc.bigInt(0n, 10n ** 13n);
    const cases = fc.tuple(lines, budget, fc.integer({ min: 0, max: 1_000 }));
    fc.assert(
      fc.property(cases, ([all, most, atLeast]) => {
        const wanted = all[1].quantity;
        const given = affordable(all, { meter: 'output_tokens', atLeast }, most);
        const quantity = given[1]?.quantity ?? -1;
        expect(given).toEqual([all[0], { ...all[1], quantity }, all[2]]);
        if (quantity !== wanted) {
          expect(quantity).toBeGreaterThanOrEqual(atLeast);
          expect(quantity).toBeLessThan(wanted);
          const oneMore = [all[0], { ...all[1], quantity: quantity + 1 }, all[2]];
          expect(priceOf(oneMore) > most).toBe(true);
        }
        if (quantity > atLeast) expect(priceOf(given) <= most).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
