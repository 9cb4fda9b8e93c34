import { createHash } from 'node:crypto';
import { type ListedRow } from './listed-price.js';
import { PRICE_LIST_FORMATS, type PriceListFormat } from './price-list-formats.js';

/** Larger files are no price lists: the largest one known has 2 MB. */
export const LIST_BYTES_MAX = 64 * 1024 * 1024;
export const LIST_ROWS_MAX = 100_000;

/** A file that is no price list. */
export class PriceListError extends Error {
  override readonly name = 'PriceListError';
}

export interface PriceList {
  readonly format: PriceListFormat['name'];
  /** Of the bytes of the list. */
  readonly sha256: string;
  readonly rows: readonly ListedRow[];
}

/** @throws PriceListError */
export const readPriceList = (source: Buffer): PriceList => {
  const list = parsed(source);
  const format = PRICE_LIST_FORMATS.find((one) => one.matches(list));
  if (!format) {
    const names = PRICE_LIST_FORMATS.map(({ name }) => name).join(', ');
    throw new PriceListError(`is no price list of ${names}`);
  }
  const rows = format.rows(list);
  if (rows.length > LIST_ROWS_MAX) throw new PriceListError(`has over ${LIST_ROWS_MAX} models`);
  return { format: format.name, sha256: createHash('sha256').update(source).digest('hex'), rows };
};

const parsed = (source: Buffer): Readonly<Record<string, unknown>> => {
  if (source.length > LIST_BYTES_MAX) {
    throw new PriceListError(`is larger than ${LIST_BYTES_MAX} bytes`);
  }
  let list: unknown;
  try {
    list = JSON.parse(source.toString('utf8'));
  } catch (cause) {
    throw new PriceListError('is not JSON', { cause });
  }
  if (typeof list === 'object' && list !== null && !Array.isArray(list)) {
    return list as Readonly<Record<string, unknown>>;
  }
  throw new PriceListError('is not a JSON object');
};
