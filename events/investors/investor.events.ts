import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { BasisPoints } from '../partners/partner.vocabulary.js';
import { Instant, MicroUsdDecimal, UserId } from '../vocabulary.js';

/** The shares that investors hold in a rig: one stream `shares-<rig>`. */

const ofAllocation = {
  /** The request that allocated the share. */
  allocationId: z.uuid(),
  rig: RigName,
  /** The user with the role Investor. */
  investorId: UserId,
};

/** In force for every charge that follows it in the log. */
export const RigShareAllocated = defineEvent('RigShareAllocated', {
  version: 1,
  schema: z.strictObject({
    ...ofAllocation,
    /** Of the rig; the shares of all investors are at most the whole rig. */
    shareBasisPoints: BasisPoints.min(1),
    /** The platform's part of the revenue of this share. */
    platformFeeBasisPoints: BasisPoints,
    /** The GPUs of the share. */
    gpus: z.int().nonnegative().max(100_000),
    purchasePriceMicroUsd: MicroUsdDecimal,
    purchasedOn: z.iso.date(),
    allocatedAt: Instant,
  }),
});
export type RigShareAllocated = EventOf<typeof RigShareAllocated>;

export const RigShareEnded = defineEvent('RigShareEnded', {
  version: 1,
  schema: z.strictObject({ ...ofAllocation, endedAt: Instant }),
});
export type RigShareEnded = EventOf<typeof RigShareEnded>;

export type RigShareEvent = RigShareAllocated | RigShareEnded;

export const nodeEvents = [RigShareAllocated, RigShareEnded] as const;
