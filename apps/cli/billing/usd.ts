import { MICRO_USD_PER_USD, type MicroUsd } from '#platform/kernel/money.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** The exact amount, with two to six decimals: `12.50 USD`, `0.000018 USD`. */
export const inUsd = (amount: MicroUsd): string => {
  const magnitude = amount < 0n ? -amount : amount;
  const whole = magnitude / MICRO_USD_PER_USD;
  const fraction = (magnitude % MICRO_USD_PER_USD).toString().padStart(6, '0');
  const decimals = withoutTrailing(fraction, '0').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${whole}.${decimals} USD`;
};
