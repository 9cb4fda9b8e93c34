import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { HoldTerms } from '../hold.vocabulary.js';
import { AccountId, Instant, Sha256Hex, UserId } from '../vocabulary.js';

/** `dtn://node/service` or `ipn:node.service`. */
export const Eid = z
  .string()
  .max(255)
  .regex(/^(dtn:\/\/|ipn:)[!-~]+$/);

export const BundleId = z.uuid();
export const Priority = z.enum(['bulk', 'normal', 'expedited']);
const Count = z.int().nonnegative();
const BitsPerSecond = z.int().positive().max(1_000_000_000_000);

/** 1, 2, … among the contacts, and among the links. */
const PlanId = z.int().positive();

/** In the stream `dtn-plan`, as all events of the plan. Planned by hand: one direction, once. */
export const ContactPlanned = defineEvent('ContactPlanned', {
  version: 1,
  schema: z.strictObject({
    contactId: PlanId,
    from: Eid,
    to: Eid,
    startsAt: Instant,
    endsAt: Instant,
    bitsPerSecond: BitsPerSecond,
    lightMs: Count,
    plannedAt: Instant,
  }),
});
export type ContactPlanned = EventOf<typeof ContactPlanned>;

export const ContactWithdrawn = defineEvent('ContactWithdrawn', {
  version: 1,
  schema: z.strictObject({ contactId: PlanId, withdrawnAt: Instant }),
});
export type ContactWithdrawn = EventOf<typeof ContactWithdrawn>;

/** Both directions of a ground station and a satellite; its contacts are their passes. */
export const LinkDeclared = defineEvent('LinkDeclared', {
  version: 1,
  schema: z.strictObject({
    linkId: PlanId,
    stationId: z.int().positive(),
    satelliteId: z.int().positive(),
    stationNode: Eid,
    satelliteNode: Eid,
    bitsPerSecond: BitsPerSecond,
    declaredAt: Instant,
  }),
});
export type LinkDeclared = EventOf<typeof LinkDeclared>;

export const LinkWithdrawn = defineEvent('LinkWithdrawn', {
  version: 1,
  schema: z.strictObject({ linkId: PlanId, withdrawnAt: Instant }),
});
export type LinkWithdrawn = EventOf<typeof LinkWithdrawn>;

export type PlanEvent = ContactPlanned | ContactWithdrawn | LinkDeclared | LinkWithdrawn;
export const planEvents = [ContactPlanned, ContactWithdrawn, LinkDeclared, LinkWithdrawn] as const;

/** A contact that a bundle is to use, and what it books there. */
export const BookedHop = z.strictObject({
  contact: z.string().min(1).max(64),
  kind: z.enum(['ground', 'pass', 'manual']),
  from: Eid,
  to: Eid,
  /** The first bit leaves the sender. */
  sendsAt: Instant,
  /** The last instant at which the sending may begin. */
  lapsesAt: Instant,
  /** The last bit reaches the receiver. */
  arrivesAt: Instant,
});
export type BookedHop = z.infer<typeof BookedHop>;

const Hops = z.array(BookedHop).min(1).max(64).readonly();

/** In the stream `bundle-<bundleId>`, as all events of a bundle. */
const ofBundle = { bundleId: BundleId, accountId: AccountId, acceptedAt: Instant };

const order = {
  ...ofBundle,
  userId: UserId,
  source: Eid,
  destination: Eid,
  priority: Priority,
  lifetimeSec: Count,
  /** How the payload was written; its bytes are nowhere in the log. */
  payloadEncoding: z.enum(['hex', 'base64']),
  payloadBytes: Count,
};

const CustodyHold = HoldTerms.pick({
  holdId: true,
  lines: true,
  rateCardVersion: true,
  expiresAt: true,
  key: true,
  tags: true,
  endUser: true,
});
export type CustodyHold = z.infer<typeof CustodyHold>;

/** The bundle is stored durably, and this node has its custody. */
export const BundleAccepted = defineEvent('BundleAccepted', {
  version: 1,
  schema: z.strictObject({
    ...order,
    /** The encoded bundle, as it travels. */
    blob: Sha256Hex,
    bundleBytes: z.int().positive(),
    expiresAt: Instant,
    /** The price of its whole lifetime. */
    hold: CustodyHold,
    /** Null: no route within the lifetime is known. */
    route: Hops.nullable(),
  }),
});
export type BundleAccepted = EventOf<typeof BundleAccepted>;

/** No custody: `acceptedAt` is the instant of the rejection. */
export const BundleRejected = defineEvent('BundleRejected', {
  version: 1,
  schema: z.strictObject({ ...order, reason: z.enum(['lifetime_passed', 'store_full']) }),
});
export type BundleRejected = EventOf<typeof BundleRejected>;

const ofStored = { ...ofBundle, bundleBytes: z.int().positive(), priority: order.priority };

/** The next node has the whole of it. This node keeps it until a report says that it is safe. */
export const BundleForwarded = defineEvent('BundleForwarded', {
  version: 1,
  schema: z.strictObject({
    ...ofStored,
    contact: BookedHop.shape.contact,
    to: Eid,
    route: Hops.nullable(),
    forwardedAt: Instant,
  }),
});
export type BundleForwarded = EventOf<typeof BundleForwarded>;

/** Another node reports that it has stored the bundle: the custody of this one ends. */
export const CustodyTransferred = defineEvent('CustodyTransferred', {
  version: 1,
  schema: z.strictObject({
    ...ofStored,
    before: Hops.nullable(),
    by: Eid,
    transferredAt: Instant,
  }),
});
export type CustodyTransferred = EventOf<typeof CustodyTransferred>;

/** Reported by the node of the destination. */
export const BundleDelivered = defineEvent('BundleDelivered', {
  version: 1,
  schema: z.strictObject({
    ...ofStored,
    before: Hops.nullable(),
    by: Eid,
    /** False where it had ended before. */
    endsCustody: z.boolean(),
    deliveredAt: Instant,
  }),
});
export type BundleDelivered = EventOf<typeof BundleDelivered>;

/** The plan has changed, a contact has passed unused, or no report came. */
export const BundleRerouted = defineEvent('BundleRerouted', {
  version: 1,
  schema: z.strictObject({
    ...ofStored,
    before: Hops.nullable(),
    route: Hops.nullable(),
    reroutedAt: Instant,
  }),
});
export type BundleRerouted = EventOf<typeof BundleRerouted>;

export const BundleCancelled = defineEvent('BundleCancelled', {
  version: 1,
  schema: z.strictObject({ ...ofStored, before: Hops.nullable(), cancelledAt: Instant }),
});
export type BundleCancelled = EventOf<typeof BundleCancelled>;

export const BundleExpired = defineEvent('BundleExpired', {
  version: 1,
  schema: z.strictObject({
    ...ofStored,
    before: Hops.nullable(),
    /** False where it had ended before. */
    endsCustody: z.boolean(),
    expiredAt: Instant,
  }),
});
export type BundleExpired = EventOf<typeof BundleExpired>;

export type BundleEvent =
  | BundleAccepted
  | BundleRejected
  | BundleRerouted
  | BundleForwarded
  | CustodyTransferred
  | BundleDelivered
  | BundleCancelled
  | BundleExpired;

export const bundleEvents = [
  BundleAccepted,
  BundleRejected,
  BundleRerouted,
  BundleForwarded,
  CustodyTransferred,
  BundleDelivered,
  BundleCancelled,
  BundleExpired,
] as const;

export const dtnEvents = [...planEvents, ...bundleEvents] as const;
