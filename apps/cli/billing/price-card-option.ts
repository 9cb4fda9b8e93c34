import { createHash } from 'node:crypto';
import { type QueryBus } from '@nestjs/cqrs';
import { type CatalogFile } from '#areas/catalog/catalog-entry.js';
import { priceCardOf } from '#areas/catalog/price-card.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { areas as shippedAreas } from '../../composition/areas.js';
import { catalogOfFile } from '../catalog-of-file.js';
import { type Invocation } from '../invocation.js';

const VERSION = /^[1-9]\d{0,8}$/;

/**
 * The prices that an option names: a version of a rate card of the log, in digits, or the path of
 * a catalog file.
 * @throws CommandFailure, DomainError `rate_card_not_found`
 */
export const namedPriceCard = async (
  option: string,
  text: string,
  queries: QueryBus,
): Promise<PriceCard> => {
  if (!VERSION.test(text)) return cardOfFile(option, text);
  const { card } = await queries.execute(new RateCardQuery({ version: Number(text) }));
  return priceCardOf(card);
};

/** @throws CommandFailure `bad_price_file` */
export const cardOfFile = async (option: string, file: string): Promise<PriceCard> => {
  const bad = { code: 'bad_price_file', prefix: `${option}: ` };
  const { catalog, source } = await catalogOfFile(file, bad);
  return cardOfCatalog(catalog, source);
};

/** The prices of a catalog with this text. */
export const cardOfCatalog = (
  { models, meters, rigs, batchDiscountPercent }: CatalogFile,
  source: string,
): PriceCard => ({
  version: null,
  sourceSha256: createHash('sha256').update(source).digest('hex'),
  models: new Map(models.map(({ id, price }) => [id, price])),
  meters: new Map(
    meters.map(({ meter, price, perUnits }) => [
      meter,
      { unitPriceMicroUsd: toDecimal(price), perUnits },
    ]),
  ),
  rigs: new Map(
    rigs.flatMap(({ name, microUsdPerHour }) =>
      microUsdPerHour === null ? [] : [[name, toDecimal(microUsdPerHour)]],
    ),
  ),
  batchDiscountPercent,
});

/** The products of every area. */
export const productsOf = ({ parts }: Invocation): readonly AnyProduct[] =>
  (parts?.areas ?? shippedAreas).flatMap(({ products }) => products);
