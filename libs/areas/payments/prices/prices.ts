import { type Logger } from 'pino';
import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';
import { type PriceQuote } from '#events/payments/crypto-invoice.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { reject } from '../payments.errors.js';
import { type PriceSource } from './price-source.js';

export interface PriceLimits {
  /** An older quote does not count. */
  readonly ageMsMax: number;
  /** Between the lowest and the highest quote, in hundredths of a percent of the median. */
  readonly spreadBasisPointsMax: number;
  /** For the answers of all sources, which are asked at once. */
  readonly timeoutMs: number;
}

/** A price that may be charged: the median of fresh quotes that agree. */
export interface Price {
  readonly priceMicroUsd: bigint;
  readonly quotes: readonly PriceQuote[];
}

/** How far ahead of this clock the clock of a source may be. */
const AHEAD_MS_MAX = 60_000;
/** Quotes serve several invoices for this time, if they are fresh. */
const REUSED_MS = 5_000;
const RETRY_AFTER_SECONDS = 30;
const BASIS_POINTS = 10_000n;

interface Asked {
  readonly atMs: number;
  readonly quotes: Promise<readonly PriceQuote[]>;
}

/**
 * The present price of a currency. More than half of the sources must have a fresh quote, and the
 * quotes must agree; otherwise there is no price.
 */
export class Prices {
  readonly #asked = new Map<CryptoCurrency, Asked>();

  constructor(
    private readonly sources: readonly PriceSource[],
    private readonly limits: PriceLimits,
    private readonly clock: Clock,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @throws DomainError `crypto_price_unavailable` */
  async priceOf(currency: CryptoCurrency): Promise<Price> {
    const quotes = await this.#quotesOf(currency);
    const needed = Math.floor(this.sources.length / 2) + 1;
    const fresh = quotes.filter(({ quotedAt }) => this.#isFresh(Date.parse(quotedAt)));
    if (fresh.length < needed) {
      return unavailable(
        `${fresh.length} of ${this.sources.length} price sources have a fresh price of ` +
          `${currency}, and ${needed} are needed`,
      );
    }
    const prices = fresh.map(({ priceMicroUsd }) => BigInt(priceMicroUsd)).toSorted(ascending);
    const [lowest = 0n, highest = 0n] = [prices.at(0), prices.at(-1)];
    const priceMicroUsd = medianOf(prices);
    const spread = ((highest - lowest) * BASIS_POINTS) / priceMicroUsd;
    if (spread > BigInt(this.limits.spreadBasisPointsMax)) {
      return unavailable(`the price sources differ too much about the price of ${currency}`);
    }
    return { priceMicroUsd, quotes: fresh };
  }

  #isFresh(quotedAtMs: number): boolean {
    const ageMs = this.clock.now() - quotedAtMs;
    return ageMs <= this.limits.ageMsMax && ageMs >= -AHEAD_MS_MAX;
  }

  #quotesOf(currency: CryptoCurrency): Promise<readonly PriceQuote[]> {
    const now = this.clock.now();
    const known = this.#asked.get(currency);
    if (known && now - known.atMs < REUSED_MS) return known.quotes;
    const quotes = this.#ask(currency);
    this.#asked.set(currency, { atMs: now, quotes });
    return quotes;
  }

  async #ask(currency: CryptoCurrency): Promise<readonly PriceQuote[]> {
    const signal = AbortSignal.timeout(this.limits.timeoutMs);
    const answers = await Promise.all(
      this.sources.map(async (source) => {
        const { name } = source;
        try {
          const { priceMicroUsd, quotedAtMs } = await source.quote(currency, signal);
          const quotedAt = new Date(quotedAtMs ?? this.clock.now()).toISOString();
          return [{ source: name, priceMicroUsd: toDecimal(priceMicroUsd), quotedAt }];
        } catch (error) {
          this.logger.warn({ err: error, source: name, currency }, 'a price source failed');
          return [];
        }
      }),
    );
    return answers.flat();
  }
}

const ascending = (one: bigint, other: bigint): number => (one < other ? -1 : 1);

/** Between the two in the middle, if there are two, and rounded down. */
const medianOf = (sorted: readonly bigint[]): bigint => {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0n;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0n) + upper) / 2n;
};

const unavailable = (detail: string): never =>
  reject('crypto_price_unavailable', detail, { retry_after_seconds: RETRY_AFTER_SECONDS });
