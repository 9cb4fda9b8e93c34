import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { TokenPrice } from '../token-price.vocabulary.js';
import { Instant, Meter, MicroUsdDecimal, Sha256Hex } from '../vocabulary.js';

/** The id by which callers ask for a model, such as `acme/llama-70b`. */
export const ModelId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/);

/** A rig's name; `routing_mode: rig_<name>` pins a request to it. */
export const RigName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

/** The price of an hour of a rig, in micro-dollars. */
export const ComputePrice = z.strictObject({ microUsdPerHour: MicroUsdDecimal });
export type ComputePrice = z.infer<typeof ComputePrice>;

/** The price of `perUnits` units of a meter. */
export const MeterPrice = z.strictObject({
  unitPriceMicroUsd: MicroUsdDecimal,
  perUnits: z.int().positive(),
});
export type MeterPrice = z.infer<typeof MeterPrice>;

/** Formats of price lists that others publish. */
export const PriceListFormat = z.enum(['models.dev', 'openrouter', 'litellm']);
export type PriceListFormat = z.infer<typeof PriceListFormat>;

/** A complete price list: models that are not on it are not sold from `effectiveFrom` on. */
export const RateCardPublished = defineEvent('RateCardPublished', {
  version: 1,
  schema: z.strictObject({
    /** 1, 2, …: the number that a charge names. */
    version: z.int().positive(),
    /**
     * Inclusive; in force until the `effectiveFrom` of the next card. Never before the previous
     * card's.
     */
    effectiveFrom: Instant,
    /** By model id. */
    prices: z.record(ModelId, TokenPrice),
    /** By rig name; rigs that are not rented by the hour are left out. */
    computePrices: z.record(RigName, ComputePrice),
    /** By meter, of work that is counted in other units than the tokens of a model. */
    meterPrices: z.record(Meter, MeterPrice),
    /** How much less a line of a batch costs than the same request without one. */
    batchDiscountPercent: z.int().min(0).max(100),
    /** Of the catalog file the prices were read from. */
    sourceSha256: Sha256Hex,
    /** The price list that the new prices are from, where a proposal was published. */
    proposedFrom: z.strictObject({ format: PriceListFormat, sha256: Sha256Hex }).exactOptional(),
    publishedAt: Instant,
  }),
});
export type RateCardPublished = EventOf<typeof RateCardPublished>;

export type RateCardEvent = RateCardPublished;

export const catalogEvents = [RateCardPublished] as const;
