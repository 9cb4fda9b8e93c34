import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, UserId } from '../vocabulary.js';
import { NameHash } from './identity.vocabulary.js';

/**
 * The names that are unique in an installation; each name has its own stream. `openid` is a subject
 * of an OpenID provider: the issuer and the subject together.
 */
export const NameKind = z.enum(['username', 'email', 'openid']);
export type NameKind = z.infer<typeof NameKind>;

/** Reserved for a running registration; the reservation expires unless the name is assigned. */
export const NameReserved = defineEvent('NameReserved', {
  version: 1,
  schema: z.strictObject({
    kind: NameKind,
    nameHash: NameHash,
    registrationId: z.uuid(),
    reservedAt: Instant,
    reservedUntil: Instant,
  }),
});
export type NameReserved = EventOf<typeof NameReserved>;

export const NameAssigned = defineEvent('NameAssigned', {
  version: 1,
  schema: z.strictObject({
    kind: NameKind,
    nameHash: NameHash,
    registrationId: z.uuid(),
    userId: UserId,
    assignedAt: Instant,
  }),
});
export type NameAssigned = EventOf<typeof NameAssigned>;

export const NameReleased = defineEvent('NameReleased', {
  version: 1,
  schema: z.strictObject({
    kind: NameKind,
    nameHash: NameHash,
    registrationId: z.uuid(),
    releasedAt: Instant,
  }),
});
export type NameReleased = EventOf<typeof NameReleased>;

export type NameEvent = NameReserved | NameAssigned | NameReleased;

export const nameEvents = [NameReserved, NameAssigned, NameReleased] as const;
