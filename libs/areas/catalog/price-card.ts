import { type PriceCard } from '#platform/ledger/price-card.js';
import { type RateCardDocument } from '#projections/catalog/rate-cards.projection.js';

/** The prices of a rate card of the log, as products read them. */
export const priceCardOf = (card: RateCardDocument): PriceCard => ({
  version: card.version,
  sourceSha256: card.sourceSha256,
  models: new Map(card.models.map(({ modelId, ...price }) => [modelId, price])),
  meters: new Map(card.meters.map(({ meter, ...price }) => [meter, price])),
  rigs: new Map(card.compute.map(({ rig, microUsdPerHour }) => [rig, microUsdPerHour])),
  batchDiscountPercent: card.batchDiscountPercent,
});
