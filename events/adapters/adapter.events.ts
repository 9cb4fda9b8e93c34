import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { AccountId, Instant, Sha256Hex, UserId } from '#events/vocabulary.js';

export const AdapterId = z.string().regex(/^adapter-[0-9a-f]{32}$/);

/** Lower case, digits and hyphens. */
export const AdapterSlug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);

const Named = z.strictObject({
  adapterId: AdapterId,
  accountId: AccountId,
  slug: AdapterSlug,
  /** The content is sealed with the key of this user. */
  userId: UserId,
  /** The address of the content, a keyed hash of it. */
  blob: Sha256Hex,
});

export const AdapterUploaded = defineEvent('AdapterUploaded', {
  version: 1,
  schema: Named.extend({
    category: AdapterSlug,
    /** The model of the catalog whose shapes it was checked against. */
    baseModel: z.string(),
    /** Of the file of that model. */
    baseSha256: Sha256Hex,
    rank: z.int().positive(),
    /** Weights are added times alpha / rank. */
    alpha: z.number().positive(),
    /** Of the uploaded weights. */
    bytes: z.int().positive(),
    sha256: Sha256Hex,
    uploadedAt: Instant,
  }),
});
export type AdapterUploaded = EventOf<typeof AdapterUploaded>;

export const AdapterRemoved = defineEvent('AdapterRemoved', {
  version: 1,
  schema: Named.extend({ removedAt: Instant }),
});
export type AdapterRemoved = EventOf<typeof AdapterRemoved>;

export type AdapterEvent = AdapterUploaded | AdapterRemoved;

export const adapterEvents = [AdapterUploaded, AdapterRemoved] as const;
