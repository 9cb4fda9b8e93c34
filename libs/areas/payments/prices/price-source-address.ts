import { PUBLIC_SOURCES, type PublicSourceName, publicSource } from './public-price-sources.js';
import { fetchJson } from '../fetch-json.js';
import { filePrices, httpPrices } from './price-document.js';
import { type PriceSource } from './price-source.js';

/** A source of prices, as a setting names it. */
export type PriceSourceAddress =
  | { readonly kind: 'public'; readonly name: PublicSourceName }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'http'; readonly url: string };

const SOURCES_MAX = 10;

/** @throws RangeError */
export const readPriceSources = (text: string): readonly PriceSourceAddress[] => {
  const sources = text.split(',').map((one) => readSource(one.trim()));
  if (sources.length <= SOURCES_MAX) return sources;
  throw new RangeError(`expected at most ${SOURCES_MAX} sources`);
};

const isPublic = (text: string): text is PublicSourceName => Object.hasOwn(PUBLIC_SOURCES, text);

const readSource = (text: string): PriceSourceAddress => {
  if (isPublic(text)) return { kind: 'public', name: text };
  if (/^file:.+/.test(text)) return { kind: 'file', file: text.slice('file:'.length) };
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) {
    return { kind: 'http', url: text };
  }
  const named = Object.keys(PUBLIC_SOURCES).join(', ');
  throw new RangeError(`expected ${named}, file:<file> or the URL of a price document`);
};

export const openPriceSource = (address: PriceSourceAddress): PriceSource => {
  switch (address.kind) {
    case 'public':
      return publicSource(address.name, fetchJson());
    case 'file':
      return filePrices(address.file);
    case 'http':
      return httpPrices(address.url, fetchJson());
  }
};
