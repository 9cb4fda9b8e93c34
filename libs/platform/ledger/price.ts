import { type PriceLine } from '#events/hold.vocabulary.js';
import { divideRoundingUp, fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

export type UnitPrice = Pick<PriceLine, 'unitPriceMicroUsd' | 'perUnits'>;

/** Whether one unit price is above another. */
export const isAbove = (one: UnitPrice, other: UnitPrice): boolean =>
  BigInt(one.unitPriceMicroUsd) * BigInt(other.perUnits) >
  BigInt(other.unitPriceMicroUsd) * BigInt(one.perUnits);

/**
 * The sum of the lines, rounded up once to a whole micro-dollar. Adding the exact fractions first
 * makes the order of lines irrelevant and keeps a capture at or below the hold it comes from.
 */
export const priceOf = (lines: readonly PriceLine[]): MicroUsd => {
  let dividend = 0n;
  let divisor = 1n;
  for (const { quantity, unitPriceMicroUsd, perUnits } of lines) {
    const per = BigInt(perUnits);
    const line = BigInt(quantity) * fromDecimal(unitPriceMicroUsd);
    if (per === divisor) {
      dividend += line;
    } else {
      dividend = dividend * per + line * divisor;
      divisor *= per;
    }
  }
  return divideRoundingUp(dividend, divisor);
};
