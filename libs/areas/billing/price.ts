import { type PriceLine } from '#events/billing/account.events.js';
import { divideRoundingUp, fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

/** Prices of models are per this many tokens. */
export const TOKENS_PER_PRICE = 1_000_000;

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

/** Whether every line is one of the bound's, at its price and with no more of it. */
export const isWithin = (lines: readonly PriceLine[], bound: readonly PriceLine[]): boolean =>
  lines.every((line) => bound.some((most) => isPartOf(line, most)));

const isPartOf = (line: PriceLine, most: PriceLine): boolean =>
  line.meter === most.meter &&
  line.unitPriceMicroUsd === most.unitPriceMicroUsd &&
  line.perUnits === most.perUnits &&
  line.quantity <= most.quantity;

/**
 * Cuts the line of one meter to the largest quantity whose total price is within the budget, but
 * never below `atLeast`; lines that fit already come back unchanged.
 */
export const affordable = (
  lines: readonly PriceLine[],
  { meter, atLeast }: { readonly meter: string; readonly atLeast: number },
  budget: MicroUsd,
): readonly PriceLine[] => {
  const withQuantity = (quantity: number): readonly PriceLine[] =>
    lines.map((line) => (line.meter === meter ? { ...line, quantity } : line));
  const wanted = lines.find((line) => line.meter === meter)?.quantity ?? 0;
  if (wanted <= atLeast || priceOf(lines) <= budget) return lines;
  let [fits, tooMuch] = [atLeast, wanted];
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (priceOf(withQuantity(middle)) <= budget) fits = middle;
    else tooMuch = middle;
  }
  return withQuantity(fits);
};
