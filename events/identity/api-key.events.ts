import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, KeyId, Sha256Hex, UserId } from '../vocabulary.js';
import { KeyKind, Sealed } from './identity.vocabulary.js';
import { KeyPolicy } from './key-policy.vocabulary.js';
import { Membership } from '../teams/team.vocabulary.js';

/** A day. */
export const CACHE_SECONDS_MAX = 86_400;

const CacheSeconds = z.int().min(1).max(CACHE_SECONDS_MAX);

/** Copied from `ApiKeyIssued`: they are part of the key of the read model's document. */
const ofDocument = {
  expiresAt: Instant.nullable(),
  membership: Membership.exactOptional(),
};

/**
 * A key's stream is named after the key's hash; the key itself was shown once and is not stored.
 */
export const ApiKeyIssued = defineEvent('ApiKeyIssued', {
  version: 1,
  schema: z.strictObject({
    keyHash: Sha256Hex,
    keyKind: KeyKind,
    userId: UserId,
    sealedName: Sealed,
    policy: KeyPolicy,
    /** The session that the key ends with, or null. */
    sessionId: z.uuid().nullable(),
    issuedAt: Instant,
    /** Null: the key does not expire. */
    expiresAt: Instant.nullable(),
    /** The key that this one replaces, or null. */
    replaces: Sha256Hex.nullable(),
    /**
     * The id of the first key of its line, under which budgets count; absent for a first key. It
     * stays when the key is rotated.
     */
    lineage: KeyId.exactOptional(),
    /** How long answers to the key are kept for the same request again. Absent: they are not. */
    cacheSeconds: CacheSeconds.exactOptional(),
    /** The key acts for the account of this team. Absent: for the user's own account. */
    membership: Membership.exactOptional(),
  }),
});
export type ApiKeyIssued = EventOf<typeof ApiKeyIssued>;

export const ApiKeyRevoked = defineEvent('ApiKeyRevoked', {
  version: 1,
  schema: z.strictObject({
    keyHash: Sha256Hex,
    userId: UserId,
    reason: z.enum(['revoked', 'rotated', 'user_erased']),
    revokedAt: Instant,
    ...ofDocument,
  }),
});
export type ApiKeyRevoked = EventOf<typeof ApiKeyRevoked>;

/** The whole policy of the key from now on, and its end; neither admits more than before. */
export const ApiKeyRestricted = defineEvent('ApiKeyRestricted', {
  version: 1,
  schema: z.strictObject({
    keyHash: Sha256Hex,
    userId: UserId,
    policy: KeyPolicy,
    /** Null: the key does not expire. */
    endsAt: Instant.nullable(),
    /** `rotated`: another key replaces it, and it stays valid until it ends. */
    reason: z.enum(['restricted', 'rotated']),
    restrictedAt: Instant,
    ...ofDocument,
  }),
});
export type ApiKeyRestricted = EventOf<typeof ApiKeyRestricted>;

export type ApiKeyEvent = ApiKeyIssued | ApiKeyRevoked | ApiKeyRestricted;

export const apiKeyEvents = [ApiKeyIssued, ApiKeyRevoked, ApiKeyRestricted] as const;
