import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';

/**
 * A group of readers of the log, which one process runs at a time: the sagas, relays, consumers and
 * leader services, or a share of the projections.
 */
export const LeaseName = z.enum(['reactions', 'projections-1', 'projections-2', 'projections-3']);
export type LeaseName = z.infer<typeof LeaseName>;

/** The name of a process in the installation. */
export const InstanceName = z.string().regex(/^[a-z][a-z0-9.-]{0,62}$/);

/** 1, 2, …: a write under a lower token is rejected once a higher one has written. */
export const FencingToken = z.int().positive();

export const LeaseTaken = defineEvent('LeaseTaken', {
  version: 1,
  schema: z.strictObject({
    lease: LeaseName,
    token: FencingToken,
    holder: InstanceName,
    /** The holder before, and why its term ended; null for the first holder. */
    from: z
      .strictObject({ holder: InstanceName, because: z.enum(['released', 'silent']) })
      .nullable(),
    takenAt: Instant,
  }),
});
export type LeaseTaken = EventOf<typeof LeaseTaken>;

export const LeaseReleased = defineEvent('LeaseReleased', {
  version: 1,
  schema: z.strictObject({
    lease: LeaseName,
    token: FencingToken,
    holder: InstanceName,
    releasedAt: Instant,
  }),
});
export type LeaseReleased = EventOf<typeof LeaseReleased>;

export type LeaseEvent = LeaseTaken | LeaseReleased;

export const leaseEvents = [LeaseTaken, LeaseReleased] as const;
