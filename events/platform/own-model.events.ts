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

/** The work that made the weights. */
export const OwnModelOrigin = z.strictObject({
  kind: z.enum(['distillation', 'fine_tuning', 'quantization']),
  jobId: z.uuid(),
  /** The name of the model that it began with. */
  baseModel: z.string().min(1).max(256),
});

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
    /** For as long as the model exists: the prices of its base model when it was registered. */
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
