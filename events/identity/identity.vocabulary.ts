import { z } from 'zod';

/** Types that the events of this area share. */

/** The role of an account; the names belong to the promised interface. */
export const Role = z.enum(['renter', 'Partner', 'Investor', 'Admin']);
export type Role = z.infer<typeof Role>;

export const ROLES: readonly Role[] = Role.options;

/**
 * Personal data or a secret, encrypted with the key of its subject (base64url). Once that key is
 * destroyed it cannot be decrypted; fields that a ledger needs are never sealed.
 */
export const Sealed = z.string().regex(/^[A-Za-z0-9_-]{39,}$/);

/** A keyed hash (HMAC-SHA-256, hex): for look-up of a name without storing it. */
export const NameHash = z.string().regex(/^[0-9a-f]{64}$/);

/** A tenant's id in URLs and stream names. */
export const TenantSlug = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/);

/**
 * `user` keys (`sk-svc-…`) have the rights of their user; `renter` keys (`svc_api_…`) only rent.
 */
export const KeyKind = z.enum(['user', 'renter']);
export type KeyKind = z.infer<typeof KeyKind>;
