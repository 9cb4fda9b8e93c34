import {
  type ComputePrice,
  type MeterPrice,
  RateCardPublished,
  type RateCardEvent,
} from '#events/catalog/rate-card.events.js';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Lists instead of objects: a model id may hold dots, which some stores read as paths. */
export interface RateCardDocument {
  readonly version: number;
  readonly effectiveFrom: string;
  readonly publishedAt: string;
  readonly sourceSha256: string;
  readonly batchDiscountPercent: number;
  /** The price list of the proposal that it was; absent: it was read from the catalog file. */
  readonly proposedFrom?: RateCardPublished['data']['proposedFrom'];
  readonly models: readonly (TokenPrice & { readonly modelId: string })[];
  readonly compute: readonly (ComputePrice & { readonly rig: string })[];
  readonly meters: readonly (MeterPrice & { readonly meter: string })[];
}

/** Keys order as versions do. */
export const rateCardKey = (version: number): string => version.toString().padStart(10, '0');

/** What did a rate card say? One document for each version. */
export const rateCards: Projection<RateCardEvent, RateCardDocument> = {
  name: 'rate-cards',
  version: 1,
  on: { RateCardPublished },
  keys: ({ data }) => [rateCardKey(data.version)],
  initial: (key) => ({
    version: Number(key),
    effectiveFrom: '',
    publishedAt: '',
    sourceSha256: '',
    batchDiscountPercent: 0,
    models: [],
    compute: [],
    meters: [],
  }),
  project: ({ data: { prices, computePrices, meterPrices, ...card } }) => ({
    ...card,
    models: Object.entries(prices).map(([modelId, price]) => ({ modelId, ...price })),
    compute: Object.entries(computePrices).map(([rig, price]) => ({ rig, ...price })),
    meters: Object.entries(meterPrices).map(([meter, price]) => ({ meter, ...price })),
  }),
};
