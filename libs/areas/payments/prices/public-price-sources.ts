import { z } from 'zod';
import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';
import { type FetchJson } from '../fetch-json.js';
import { type PriceSource, priceOf } from './price-source.js';

/** The exchanges and the aggregator whose public interfaces need no account. */
export const PUBLIC_SOURCES = {
  kraken: 'https://api.kraken.com',
  coinbase: 'https://api.coinbase.com',
  coingecko: 'https://api.coingecko.com',
} as const;

export type PublicSourceName = keyof typeof PUBLIC_SOURCES;

const KRAKEN_PAIRS: Readonly<Record<CryptoCurrency, string>> = {
  BTC: 'XBTUSD',
  ETH: 'ETHUSD',
  USDT: 'USDTUSD',
  USDC: 'USDCUSD',
  SOL: 'SOLUSD',
  LTC: 'LTCUSD',
  BCH: 'BCHUSD',
  DOGE: 'XDGUSD',
};

const GECKO_IDS: Readonly<Record<CryptoCurrency, string>> = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  USDT: 'tether',
  USDC: 'usd-coin',
  SOL: 'solana',
  LTC: 'litecoin',
  BCH: 'bitcoin-cash',
  DOGE: 'dogecoin',
};

/** `c` is the last trade: its price and volume. The answer names the pair in its own spelling. */
const KrakenTicker = z.object({
  error: z.array(z.string()).max(0),
  result: z.record(z.string(), z.object({ c: z.tuple([z.string(), z.string()]) })),
});

const CoinbaseSpot = z.object({ data: z.object({ amount: z.string() }) });

const GeckoPrices = z.record(
  z.string(),
  z.object({ usd: z.number(), last_updated_at: z.int().positive() }),
);

const kraken = (base: string, fetchJson: FetchJson): PriceSource => ({
  name: 'kraken',
  quote: async (currency, signal) => {
    const url = `${base}/0/public/Ticker?pair=${KRAKEN_PAIRS[currency]}`;
    const { result } = KrakenTicker.parse(await fetchJson({ url, signal }));
    const [pair, ...others] = Object.values(result);
    if (!pair || others.length > 0) throw new Error('kraken answered with another pair');
    return { priceMicroUsd: priceOf(pair.c[0]), quotedAtMs: null };
  },
});

const coinbase = (base: string, fetchJson: FetchJson): PriceSource => ({
  name: 'coinbase',
  quote: async (currency, signal) => {
    const url = `${base}/v2/prices/${currency}-USD/spot`;
    const { data } = CoinbaseSpot.parse(await fetchJson({ url, signal }));
    return { priceMicroUsd: priceOf(data.amount), quotedAtMs: null };
  },
});

const coingecko = (base: string, fetchJson: FetchJson): PriceSource => ({
  name: 'coingecko',
  quote: async (currency, signal) => {
    const id = GECKO_IDS[currency];
    const query = `ids=${id}&vs_currencies=usd&include_last_updated_at=true&precision=full`;
    const url = `${base}/api/v3/simple/price?${query}`;
    const { [id]: found } = GeckoPrices.parse(await fetchJson({ url, signal }));
    if (!found) throw new Error(`coingecko has no price of ${id}`);
    return { priceMicroUsd: priceOf(found.usd), quotedAtMs: found.last_updated_at * 1_000 };
  },
});

const makers = { kraken, coinbase, coingecko };

/** @param base where the interface is, without a slash at the end */
export const publicSource = (
  name: PublicSourceName,
  fetchJson: FetchJson,
  base: string = PUBLIC_SOURCES[name],
): PriceSource => makers[name](base, fetchJson);
