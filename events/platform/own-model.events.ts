import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { TokenPrice } from '#events/token-price.vocabulary.js';
import { AccountId, Instant, Sha256Hex } from '#events/vocabulary.js';

export const OwnModelId = z.string().regex(/^model-[0-9a-f]{32}$/);

/** The second part of a model's name; also the name of the job that makes it. */
export const OwnModelSlug = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);

const Named = z.strictObject({
  modelId: OwnModelId,
  accountId: AccountId,
  slug: OwnModelSlug,
  /** The address of the file, a keyed hash of it, sealed with the key of the account's owner. */
  blob: Sha256Hex,
});

/** The statements of an account about a model that it brings. */
export const OwnModelCard = z.strictObject({
  name: z.string().min(1).max(128),
  /** An identifier of SPDX, or the name of another licence. */
  licence: z.string().min(1).max(128),
  /** Where the weights come from: an address, or a sentence. */
  source: z.string().min(1).max(512),
  /** A model of the catalog that has the same tokens; null where none was named. */
  baseTokenizer: z.string().min(1).max(256).nullable(),
});
export type OwnModelCard = z.infer<typeof OwnModelCard>;

/** The work that made the weights, or the upload that brought them. */
export const OwnModelOrigin = z.union([
  z.strictObject({
    kind: z.enum(['distillation', 'fine_tuning', 'quantization']),
    jobId: z.uuid(),
    /** The name of the model that it began with. */
    baseModel: z.string().min(1).max(256),
  }),
  z.strictObject({
    kind: z.literal('upload'),
    format: z.enum(['gguf', 'safetensors']),
    /** Of the uploaded file; the model is a file that was written of it. */
    uploadedSha256: Sha256Hex,
    card: OwnModelCard,
    /** The model of the catalog whose price it has, or has in proportion. */
    pricedAs: z.string().min(1).max(256),
  }),
]);
export type OwnModelOrigin = z.infer<typeof OwnModelOrigin>;

/** An account has a model of its own: it alone lists it, and it alone is answered by it. */
export const OwnModelRegistered = defineEvent('OwnModelRegistered', {
  version: 1,
  schema: Named.extend({
    origin: OwnModelOrigin,
    /** Of the GGUF file. */
    bytes: z.int().positive(),
    sha256: Sha256Hex,
    parameters: z.int().positive(),
    contextTokens: z.int().positive(),
    maxOutputTokens: z.int().positive(),
    /** For as long as the model exists: the prices of its base, or of `pricedAs`, at that time. */
    price: TokenPrice,
    rateCardVersion: z.int().positive(),
    batchDiscountPercent: z.int().min(0).max(100),
    registeredAt: Instant,
  }),
});
export type OwnModelRegistered = EventOf<typeof OwnModelRegistered>;

export const OwnModelRemoved = defineEvent('OwnModelRemoved', {
  version: 1,
  schema: Named.extend({ removedAt: Instant }),
});
export type OwnModelRemoved = EventOf<typeof OwnModelRemoved>;

export type OwnModelEvent = OwnModelRegistered | OwnModelRemoved;

export const ownModelEvents = [OwnModelRegistered, OwnModelRemoved] as const;
