import { z } from 'zod';
import { MICRO_USD_PER_USD, parseUsd } from '#platform/kernel/money.js';

/** A token costs at most a dollar: a higher price is a mistake in the unit. */
export const USD_PER_MTOK_MAX = 1_000_000n;

const USD_MAX = USD_PER_MTOK_MAX * MICRO_USD_PER_USD;

/** An amount in USD as micro-dollars. The parser passes amounts as text: no float is involved. */
export const Usd = z
  .string({
    error: ({ input }) =>
      input === undefined ? 'is missing' : 'must be an amount in USD, such as 0.15',
  })
  .transform((written, context) => {
    const reject = (message: string): never => {
      context.addIssue(message);
      return z.NEVER;
    };
    let amount: bigint;
    try {
      amount = parseUsd(written);
    } catch {
      return reject('must be a plain decimal in USD with at most 6 decimals, such as 0.15');
    }
    if (amount < 0n) return reject('must not be negative');
    if (amount > USD_MAX) return reject(`must not be above ${USD_PER_MTOK_MAX} USD`);
    return amount;
  });
