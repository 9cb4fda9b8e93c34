import { type MicroUsd } from '#platform/kernel/money.js';

/** A hundred percent. */
const WHOLE = 1_000_000n;

/**
 * The tax in an amount that includes it, rounded half away from zero to a whole micro-dollar: 20 %
 * in 120 are 20. The tax of an amount below zero is the negative tax of the positive amount.
 */
export const taxIncludedIn = (gross: MicroUsd, ratePpm: number): MicroUsd => {
  const rate = BigInt(ratePpm);
  const magnitude = gross < 0n ? -gross : gross;
  const divisor = WHOLE + rate;
  const tax = (2n * magnitude * rate + divisor) / (2n * divisor);
  return gross < 0n ? -tax : tax;
};
