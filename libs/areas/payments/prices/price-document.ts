import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';
import { type FetchJson } from '../fetch-json.js';
import { type PriceSource, priceOf, type Quote } from './price-source.js';

/** Prices that the operator provides, in a file or by HTTP. */
const PriceDocument = z.object({
  as_of: z.iso.datetime({ offset: true }),
  prices: z.record(z.string(), z.string()),
});

const quoteIn = (document: unknown, currency: CryptoCurrency): Quote => {
  const { as_of: asOf, prices } = PriceDocument.parse(document);
  const price = prices[currency];
  if (price === undefined) throw new Error(`it has no price of ${currency}`);
  return { priceMicroUsd: priceOf(price), quotedAtMs: Date.parse(asOf) };
};

/** The file is read for each price. */
export const filePrices = (file: string): PriceSource => ({
  name: `file:${file}`.slice(0, 100),
  quote: async (currency, signal) =>
    quoteIn(JSON.parse(await readFile(file, { encoding: 'utf8', signal })), currency),
});

export const httpPrices = (url: string, fetchJson: FetchJson): PriceSource => ({
  name: new URL(url).host.slice(0, 100),
  quote: async (currency, signal) => quoteIn(await fetchJson({ url, signal }), currency),
});
