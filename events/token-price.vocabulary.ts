import { z } from 'zod';
import { TOKEN_METERS, TOKEN_PARTS } from './token-meters.js';
import { Instant, MicroUsdDecimal } from './vocabulary.js';
import { WEEKDAYS } from './weekdays.js';

const TokenPart = z.enum(TOKEN_PARTS);
const TokenMeter = z.enum(TOKEN_METERS);

/** How fast or when a provider serves a request, as it names it: `flex`, `priority`. */
export const ServiceTier = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/);

/** Micro-dollars for a million tokens of a class. */
export const PricesByMeter = z.partialRecord(TokenMeter, MicroUsdDecimal);
export type PricesByMeter = z.infer<typeof PricesByMeter>;

/**
 * Prices of a request whose input, of all classes, has more than `aboveInputTokens` tokens:
 * `whole`: of all its tokens; `excess`: of the input tokens above, and then it is the only tier.
 */
export const ContextTier = z.strictObject({
  aboveInputTokens: z.int().positive(),
  mode: z.enum(['whole', 'excess']),
  prices: PricesByMeter,
});
export type ContextTier = z.infer<typeof ContextTier>;

export const CONTEXT_TIERS_MAX = 8;
export const SERVICE_TIERS_MAX = 8;
export const RESIDENCIES_MAX = 16;

const Percent = z.int().positive().max(1_000);

const ContextTiers = z.array(ContextTier).max(CONTEXT_TIERS_MAX);

/** Prices of a service tier; a missing price is the price of the model, times `percent`. */
export const ServiceTierPrice = z.strictObject({
  percent: Percent,
  prices: PricesByMeter,
  /** Absent: the tiers of the model, times `percent`. */
  tiers: ContextTiers.exactOptional(),
});
export type ServiceTierPrice = z.infer<typeof ServiceTierPrice>;

/** A place of work that a provider charges for, as it names it: `us`. */
export const Residency = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);

/** The prices of a million tokens of a model, in micro-dollars, at one time. */
export const TokenPriceList = z.strictObject({
  inputMicroUsdPerMtok: MicroUsdDecimal,
  outputMicroUsdPerMtok: MicroUsdDecimal,
  /** Of classes with a price of their own; another class costs what fresh input or output costs. */
  classes: z.partialRecord(TokenPart, MicroUsdDecimal).exactOptional(),
  /** In rising order of `aboveInputTokens`. */
  tiers: ContextTiers.exactOptional(),
  serviceTiers: z.record(ServiceTier, ServiceTierPrice).exactOptional(),
  /** Of all tokens, in percent of the price, by the place of the work. */
  residencyPercent: z.record(Residency, Percent).exactOptional(),
  /** A thousand searches, of the web or of rankings. Absent: they are free. */
  searchMicroUsdPerThousand: MicroUsdDecimal.exactOptional(),
});
export type TokenPriceList = z.infer<typeof TokenPriceList>;

/** A time of the day in UTC. */
export const TimeOfDay = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/);

/** Prices of requests that begin in a time: between two instants, in hours of days, or in both. */
export const PricePeriod = z.strictObject({
  /** The charge names it. */
  name: ServiceTier,
  /** The first instant. */
  from: Instant.exactOptional(),
  /** The first instant after it. */
  until: Instant.exactOptional(),
  /** In UTC. Where `until` is not later than `from`, it is a time of the next day. */
  daily: z.strictObject({ from: TimeOfDay, until: TimeOfDay }).exactOptional(),
  /** The days, in UTC, on which the hours begin. Absent: every day. */
  days: z.array(z.enum(WEEKDAYS)).min(1).exactOptional(),
  /** Of every token price of the model, in percent; 100 where `price` has its own. */
  percent: Percent,
  price: TokenPriceList.exactOptional(),
});
export type PricePeriod = z.infer<typeof PricePeriod>;

export const PRICE_PERIODS_MAX = 16;

/** The price of a million tokens of a model, in micro-dollars. */
export const TokenPrice = TokenPriceList.extend({
  /** The first that has the instant of the request; in none of them the price above. */
  periods: z.array(PricePeriod).max(PRICE_PERIODS_MAX).exactOptional(),
});
export type TokenPrice = z.infer<typeof TokenPrice>;

/** The prices that a unit price is of, beside the standard one. */
export const PriceTier = z.strictObject({
  service: ServiceTier.exactOptional(),
  aboveInputTokens: z.int().positive().exactOptional(),
  period: ServiceTier.exactOptional(),
  residency: Residency.exactOptional(),
});
export type PriceTier = z.infer<typeof PriceTier>;
