import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';

/** The price of a whole coin. */
export interface Quote {
  readonly priceMicroUsd: bigint;
  /** When the price was so, in epoch milliseconds, as the source says; null: it does not say. */
  readonly quotedAtMs: number | null;
}

/** Where prices come from. */
export interface PriceSource {
  readonly name: string;

  /** @throws Error when the source has no price, cannot be reached, or answers in another form */
  quote(currency: CryptoCurrency, signal: AbortSignal): Promise<Quote>;
}

/** Digits below a micro-dollar are cut: a lower price is never worse for the operator. */
const DECIMAL = /^(\d{1,12})(?:\.(\d{1,6})\d*)?$/;

/**
 * A price as a decimal text or number of dollars.
 * @throws RangeError unless it is a positive decimal
 */
export const priceOf = (usd: unknown): bigint => {
  const text = typeof usd === 'number' ? plain(usd) : usd;
  const match = typeof text === 'string' ? DECIMAL.exec(text) : null;
  if (!match) throw new RangeError(`not a price in USD: ${JSON.stringify(usd)}`);
  const [, whole = '', fraction = ''] = match;
  const price = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  if (price === 0n) throw new RangeError(`not a price in USD: ${JSON.stringify(usd)}`);
  return price;
};

/** Without an exponent. */
const plain = (value: number): string =>
  String(value).includes('e') ? value.toFixed(20) : String(value);
