import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';

/** 1, 2, …, in the order in which the placements were made. */
export const PlacementId = z.int().positive();

/** A worker, by a hash of its name, or the process that works alone. */
export const PlacementRigName = z.string().regex(/^[a-z][a-z0-9.-]{0,100}$/);

const Bytes = z.int().positive();

/** One of the tensor-parallel parts of a stage, and the memory that is reserved for it. */
export const PlacedShard = z.strictObject({
  /** From 0, in the order of the pipeline. */
  stage: z.int().nonnegative(),
  /** From 0, within the stage. */
  rank: z.int().nonnegative(),
  rig: PlacementRigName,
  /** The number of the device, from 0; null for the memory of the host. */
  device: z.int().nonnegative().nullable(),
  memoryBytes: Bytes,
});
export type PlacedShard = z.infer<typeof PlacedShard>;

/** Between two rigs whose stages follow each other. */
export const PlacedLink = z.strictObject({
  from: PlacementRigName,
  to: PlacementRigName,
  /** By a timed transfer; null where none succeeded. */
  kilobitsPerSecond: z.int().nonnegative().nullable(),
});
export type PlacedLink = z.infer<typeof PlacedLink>;

const ofPlacement = { placementId: PlacementId, accountId: AccountId };

/** In the stream `placements-fleet`: reserves memory until the placement ends. */
export const StagesPlaced = defineEvent('StagesPlaced', {
  version: 1,
  schema: z.strictObject({
    ...ofPlacement,
    /** The request, so that a repeat is recognised. */
    orderId: z.uuid(),
    /** As the account calls it. */
    model: z.string().min(1).max(200).nullable(),
    ppDegree: z.int().positive(),
    tpDegree: z.int().positive(),
    memoryBytes: Bytes,
    shards: z.array(PlacedShard).min(1).readonly(),
    links: z.array(PlacedLink).readonly(),
    placedAt: Instant,
    expiresAt: Instant,
  }),
});
export type StagesPlaced = EventOf<typeof StagesPlaced>;

export const PlacementReleased = defineEvent('PlacementReleased', {
  version: 1,
  schema: z.strictObject({ ...ofPlacement, releasedAt: Instant }),
});
export type PlacementReleased = EventOf<typeof PlacementReleased>;

export const PlacementExpired = defineEvent('PlacementExpired', {
  version: 1,
  schema: z.strictObject({ ...ofPlacement, expiredAt: Instant }),
});
export type PlacementExpired = EventOf<typeof PlacementExpired>;

export type PlacementEvent = StagesPlaced | PlacementReleased | PlacementExpired;

export const placementEvents = [StagesPlaced, PlacementReleased, PlacementExpired] as const;
