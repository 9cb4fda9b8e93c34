import {
  type ComputePrice,
  type MeterPrice,
  RateCardPublished,
  type RateCardEvent,
} from '#events/catalog/rate-card.events.js';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';

/** Every price of one reading of the catalog. */
export interface PriceList {
  /** By model id. */
  readonly prices: Readonly<Record<string, TokenPrice>>;
  /** By rig name. */
  readonly computePrices: Readonly<Record<string, ComputePrice>>;
  /** By meter. */
  readonly meterPrices: Readonly<Record<string, MeterPrice>>;
  readonly batchDiscountPercent: number;
}

export type ProposedFrom = NonNullable<RateCardPublished['data']['proposedFrom']>;

export interface PublishRateCard {
  readonly type: 'PublishRateCard';
  readonly data: PriceList & {
    readonly sourceSha256: string;
    readonly proposedFrom?: ProposedFrom;
    /** ISO 8601 UTC with milliseconds. */
    readonly publishedAt: string;
  };
}

export type RateCardState =
  | { readonly status: 'absent' }
  | ({
      readonly status: 'published';
      readonly version: number;
      readonly effectiveFrom: string;
    } & PriceList);

/** Publishing the current prices produces no event, whatever else changed in the file. */
const decide = ({ data }: PublishRateCard, state: RateCardState): readonly RateCardEvent[] => {
  if (state.status === 'absent') {
    return [RateCardPublished.of({ ...data, version: 1, effectiveFrom: data.publishedAt })];
  }
  if (samePrices(data, state)) return [];
  const version = state.version + 1;
  const effectiveFrom = later(data.publishedAt, state.effectiveFrom);
  return [RateCardPublished.of({ ...data, version, effectiveFrom })];
};

const evolve = (_: RateCardState, { data }: RateCardEvent): RateCardState => {
  const { version, effectiveFrom, prices, computePrices, meterPrices, batchDiscountPercent } = data;
  return {
    status: 'published',
    version,
    effectiveFrom,
    prices,
    computePrices,
    meterPrices,
    batchDiscountPercent,
  };
};

export const rateCardDecider: Decider<PublishRateCard, RateCardState, RateCardEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};

const samePrices = (one: PriceList, other: PriceList): boolean =>
  one.batchDiscountPercent === other.batchDiscountPercent &&
  sameRecord(one.prices, other.prices, sameTokenPrice) &&
  sameRecord(one.computePrices, other.computePrices, sameComputePrice) &&
  sameRecord(one.meterPrices, other.meterPrices, sameMeterPrice);

/** The catalog writes the fields of a price in one order, and the log keeps it. */
export const sameTokenPrice = (one: TokenPrice, other: TokenPrice): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const sameComputePrice = (one: ComputePrice, other: ComputePrice): boolean =>
  one.microUsdPerHour === other.microUsdPerHour;

const sameMeterPrice = (one: MeterPrice, other: MeterPrice): boolean =>
  one.unitPriceMicroUsd === other.unitPriceMicroUsd && one.perUnits === other.perUnits;

const sameRecord = <Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  same: (one: Value, other: Value) => boolean,
): boolean => {
  const theirs = new Map(Object.entries(other));
  const mine = Object.entries(one);
  if (mine.length !== theirs.size) return false;
  return mine.every(([key, value]) => {
    const counterpart = theirs.get(key);
    return counterpart !== undefined && same(value, counterpart);
  });
};

/** ISO 8601 instants of one length order as text. */
const later = (one: string, other: string): string => (one > other ? one : other);
