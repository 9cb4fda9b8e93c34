import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ChargedLine, type PriceLine } from '#events/hold.vocabulary.js';
import { priceOf } from '#platform/ledger/price.js';
import { linesOf } from './account.fixture.js';
import { affordable, isWithin, merged } from './price.js';

const OUTPUT = { meter: 'output_tokens', atLeast: 1 } as const;

const line = (quantity: number, unitPriceMicroUsd: string, perUnits: number) => ({
  meter: 'seconds',
  quantity,
  unitPriceMicroUsd,
  perUnits,
});

describe('the price of lines', () => {
  it('is nothing for no lines', () => {
    expect(priceOf([])).toBe(0n);
  });

  it('is rounded up once, after the lines are added', () => {
    expect(priceOf(linesOf([1, 0]))).toBe(1n);
    expect(priceOf(linesOf([1, 1]))).toBe(1n);
    expect(priceOf(linesOf([2, 1]))).toBe(1n);
    expect(priceOf(linesOf([3, 1]))).toBe(2n);
  });

  it('adds lines of unlike units exactly', () => {
    // 1/3 + 1/7 + 11/21 = 1.
    expect(priceOf([line(1, '1', 3), line(1, '1', 7), line(11, '1', 21)])).toBe(1n);
    expect(priceOf([line(1, '1', 3), line(1, '1', 7), line(12, '1', 21)])).toBe(2n);
  });

  it('is exact where a double is not', () => {
    expect(priceOf([line(9_007_199_254_740_991, '999999999999', 1)])).toBe(
      9_007_199_254_740_991n * 999_999_999_999n,
    );
  });
});

describe('what is affordable', () => {
  it('is everything within the budget', () => {
    const lines = linesOf([1_000, 1_000]);
    expect(affordable(lines, OUTPUT, 750n)).toBe(lines);
  });

  it('is the largest output within the budget', () => {
    expect(affordable(linesOf([1_000, 1_000]), OUTPUT, 749n)).toEqual(linesOf([1_000, 998]));
  });

  it('is never less than the least, covered or not', () => {
    expect(affordable(linesOf([1_000, 1_000]), OUTPUT, 0n)).toEqual(linesOf([1_000, 1]));
  });

  it('leaves the lines alone when less than the least was wanted', () => {
    const lines = linesOf([1_000, 3]);
    expect(affordable(lines, { ...OUTPUT, atLeast: 3 }, 0n)).toBe(lines);
  });

  it('cuts the line of one step and leaves lines of others alone', () => {
    const draft = { step: 'draft', ...line(100, '1', 1) };
    const check = { step: 'check', ...line(100, '1', 1) };
    const shrink = { step: 'check', meter: 'seconds', atLeast: 1 };
    expect(affordable([draft, check], shrink, 130n)).toEqual([draft, { ...check, quantity: 30 }]);
  });

  it('leaves the lines alone when none of them is of that meter', () => {
    const lines = linesOf([1_000, 1_000]);
    expect(affordable(lines, { meter: 'images', atLeast: 1 }, 0n)).toBe(lines);
  });
});

describe('what is within a hold', () => {
  const at = (step: string | undefined, quantity: number): PriceLine => ({
    ...(step !== undefined && { step }),
    ...line(quantity, '7', 1),
  });

  const tokens = (quantity: number, price: string): PriceLine => ({
    ...line(quantity, price, 1),
    meter: 'tokens',
  });
  const as = (heldAs: string, quantity: number, price: string): ChargedLine => ({
    ...tokens(quantity, price),
    meter: 'cached',
    heldAs,
  });

  it.each<[string, ChargedLine[], PriceLine[], boolean]>([
    ['as much as is held', [at('a', 5)], [at('a', 5)], true],
    ['more than is held', [at('a', 6)], [at('a', 5)], false],
    ['nothing of a meter without a hold', [], [], true],
    ['something of a meter without a hold', [at('a', 0)], [], false],
    ['several lines of one held line', [at('a', 2), at('a', 3)], [at('a', 5)], true],
    ['more in all than one held line', [at('a', 3), at('a', 3)], [at('a', 5)], false],
    ['one line of several held lines', [at('a', 10)], [at('a', 5), at('a', 5)], true],
    [
      'steps of work that was held as a whole',
      [at('a', 2), at('b/c', 3)],
      [at(undefined, 5)],
      true,
    ],
    ['more in all than the whole work', [at('a', 3), at('b/c', 3)], [at(undefined, 5)], false],
    ['steps below a held step', [at('a/1', 2), at('a/2/x', 3)], [at('a', 5)], true],
    ['what the nearest two steps hold', [at('a/1', 6)], [at('a', 5), at(undefined, 1)], true],
    ['more than both hold', [at('a/1', 7)], [at('a', 5), at(undefined, 1)], false],
    ['a step beside the held one', [at('ab', 1)], [at('a', 5)], false],
    ['the whole work where a step is held', [at(undefined, 1)], [at('a', 5)], false],
    ['another price', [line(1, '8', 1)], [line(5, '7', 1)], false],
    ['another unit', [line(1, '7', 2)], [line(5, '7', 1)], false],
    ['a class at a lower price', [as('tokens', 3, '5')], [tokens(5, '7')], true],
    ['a class at the price of the hold', [as('tokens', 5, '7')], [tokens(5, '7')], true],
    ['a class at a higher price', [as('tokens', 1, '8')], [tokens(5, '7')], false],
    ['a class with more units', [as('tokens', 6, '1')], [tokens(5, '7')], false],
    [
      'a class and its whole with more units',
      [tokens(3, '7'), as('tokens', 3, '1')],
      [tokens(5, '7')],
      false,
    ],
    ['a class of a meter that is not held', [as('hours', 1, '1')], [tokens(5, '7')], false],
    ['a class without the meter it is held as', [line(1, '7', 1)], [tokens(5, '7')], false],
    [
      'a class of another model',
      [{ ...as('tokens', 1, '7'), model: 'b' }],
      [{ ...tokens(5, '7'), model: 'a' }],
      true,
    ],
    [
      'a class of a dearer model',
      [{ ...as('tokens', 1, '8'), model: 'b' }],
      [{ ...tokens(5, '7'), model: 'a' }],
      false,
    ],
  ])('%s: %j of %j is %s', (_, lines, held, expected) => {
    expect(isWithin(lines, held)).toBe(expected);
  });

  it('is within a hold when no price has more units than the hold, in any order', () => {
    const priced = fc.record({
      meter: fc.constantFrom('a', 'b'),
      quantity: fc.nat(3),
      unitPriceMicroUsd: fc.constantFrom('1', '2'),
      perUnits: fc.constantFrom(1, 10),
    });
    const some = fc.array(priced, { maxLength: 4 });
    const keyOf = ({ meter, unitPriceMicroUsd, perUnits }: PriceLine): string =>
      [meter, unitPriceMicroUsd, perUnits].join();
    const unitsOf = (all: readonly PriceLine[], key: string): number =>
      all.filter((one) => keyOf(one) === key).reduce((sum, { quantity }) => sum + quantity, 0);
    fc.assert(
      fc.property(some, some, (lines, held) => {
        const expected = lines.map(keyOf).every((key) => {
          const isHeld = held.some((one) => keyOf(one) === key);
          return isHeld && unitsOf(lines, key) <= unitsOf(held, key);
        });
        expect(isWithin(lines, held)).toBe(expected);
      }),
    );
  });

  it('is one line for each price and step once it is merged', () => {
    const lines = [at('a', 1), at(undefined, 2), at('a', 3), at(undefined, 4)];
    expect(merged(lines)).toEqual([at('a', 4), at(undefined, 6)]);
  });

  it('keeps a line without a step apart from every step', () => {
    const lines = [at('undefined', 1), at(undefined, 2)];
    expect(merged(lines)).toEqual(lines);
  });
});
