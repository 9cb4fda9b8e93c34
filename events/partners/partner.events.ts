import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, UserId } from '../vocabulary.js';
import { BasisPoints, Branding, Capacity, PartnerId, PartnerSlug } from './partner.vocabulary.js';

/** In the stream `partners-numbers`: gives a slug its id, for good. */
export const PartnerNumbered = defineEvent('PartnerNumbered', {
  version: 1,
  schema: z.strictObject({ partnerId: PartnerId, slug: PartnerSlug, numberedAt: Instant }),
});
export type PartnerNumbered = EventOf<typeof PartnerNumbered>;

const name = z.string().min(1).max(100);

/** The first event of the stream `partner-<id>`. */
export const PartnerRegistered = defineEvent('PartnerRegistered', {
  version: 1,
  schema: z.strictObject({
    partnerId: PartnerId,
    /** The request that registered the partner, so that a repeat is recognised. */
    registrationId: z.uuid(),
    slug: PartnerSlug,
    /** Of the company. */
    name,
    branding: Branding,
    /** The part of each charge of a sub-user that is the partner's. */
    revenueShareBasisPoints: BasisPoints,
    /** The highest share that the partner may set. */
    revenueShareMaxBasisPoints: BasisPoints,
    registeredAt: Instant,
  }),
});
export type PartnerRegistered = EventOf<typeof PartnerRegistered>;

export const PartnerProfileChanged = defineEvent('PartnerProfileChanged', {
  version: 1,
  schema: z.strictObject({ partnerId: PartnerId, name, branding: Branding, changedAt: Instant }),
});
export type PartnerProfileChanged = EventOf<typeof PartnerProfileChanged>;

/** In force for every charge that follows it in the log. */
export const RevenueShareChanged = defineEvent('RevenueShareChanged', {
  version: 1,
  schema: z.strictObject({
    partnerId: PartnerId,
    revenueShareBasisPoints: BasisPoints,
    revenueShareMaxBasisPoints: BasisPoints,
    changedAt: Instant,
  }),
});
export type RevenueShareChanged = EventOf<typeof RevenueShareChanged>;

export type PartnerEvent = PartnerRegistered | PartnerProfileChanged | RevenueShareChanged;

const ofMember = {
  userId: UserId,
  accountId: AccountId,
  partnerId: PartnerId,
  capacity: Capacity,
};

/** In the stream `membership-<user id>`: a user belongs to at most one partner. */
export const PartnerMemberJoined = defineEvent('PartnerMemberJoined', {
  version: 1,
  schema: z.strictObject({ ...ofMember, joinedAt: Instant }),
});
export type PartnerMemberJoined = EventOf<typeof PartnerMemberJoined>;

export const PartnerMemberLeft = defineEvent('PartnerMemberLeft', {
  version: 1,
  schema: z.strictObject({ ...ofMember, leftAt: Instant }),
});
export type PartnerMemberLeft = EventOf<typeof PartnerMemberLeft>;

export type MembershipEvent = PartnerMemberJoined | PartnerMemberLeft;

/** In the stream `fleet-<rig>`: a rig is in the fleet of at most one partner. */
export const FleetRigAssigned = defineEvent('FleetRigAssigned', {
  version: 1,
  schema: z.strictObject({ rig: RigName, partnerId: PartnerId, assignedAt: Instant }),
});
export type FleetRigAssigned = EventOf<typeof FleetRigAssigned>;

export const FleetRigRemoved = defineEvent('FleetRigRemoved', {
  version: 1,
  schema: z.strictObject({ rig: RigName, partnerId: PartnerId, removedAt: Instant }),
});
export type FleetRigRemoved = EventOf<typeof FleetRigRemoved>;

export type FleetEvent = FleetRigAssigned | FleetRigRemoved;

export const partnerNumberEvents = [PartnerNumbered] as const;
export const partnerStreamEvents = [
  PartnerRegistered,
  PartnerProfileChanged,
  RevenueShareChanged,
] as const;
export const membershipEvents = [PartnerMemberJoined, PartnerMemberLeft] as const;
export const fleetEvents = [FleetRigAssigned, FleetRigRemoved] as const;

export const partnerEvents = [
  ...partnerNumberEvents,
  ...partnerStreamEvents,
  ...membershipEvents,
  ...fleetEvents,
] as const;
