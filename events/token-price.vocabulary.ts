import { z } from 'zod';
import { TOKEN_METERS, TOKEN_PARTS } from './token-meters.js';
import { MicroUsdDecimal } from './vocabulary.js';

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

const ContextTiers = z.array(ContextTier).max(CONTEXT_TIERS_MAX);

/** Prices of a service tier; a missing price is the price of the model, times `percent`. */
export const ServiceTierPrice = z.strictObject({
  percent: z.int().positive().max(1_000),
  prices: PricesByMeter,
  /** Absent: the tiers of the model, times `percent`. */
  tiers: ContextTiers.exactOptional(),
});
export type ServiceTierPrice = z.infer<typeof ServiceTierPrice>;

/** The price of a million tokens of a model, in micro-dollars. */
export const TokenPrice = z.strictObject({
  inputMicroUsdPerMtok: MicroUsdDecimal,
  outputMicroUsdPerMtok: MicroUsdDecimal,
  /** Of classes with a price of their own; another class costs what fresh input or output costs. */
  classes: z.partialRecord(TokenPart, MicroUsdDecimal).exactOptional(),
  /** In rising order of `aboveInputTokens`. */
  tiers: ContextTiers.exactOptional(),
  serviceTiers: z.record(ServiceTier, ServiceTierPrice).exactOptional(),
});
export type TokenPrice = z.infer<typeof TokenPrice>;

/** The tier that a price is of, beside the standard one. */
export const PriceTier = z.strictObject({
  service: ServiceTier.exactOptional(),
  aboveInputTokens: z.int().positive().exactOptional(),
});
export type PriceTier = z.infer<typeof PriceTier>;
