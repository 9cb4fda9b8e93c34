import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Sealed } from '../identity/identity.vocabulary.js';
import { JobId } from '../jobs/job.events.js';
import { AccountId, Instant, UserId } from '../vocabulary.js';
import { Port, RentalNumber } from './rental.job.js';

/**
 * One stream has the port blocks of every rental, so no two overlap. A rental has a stream of its
 * own for its workspace; its life, usage and charge are the events of its job.
 */

export const PortBlockReserved = defineEvent('PortBlockReserved', {
  version: 1,
  schema: z.strictObject({
    rentalId: JobId,
    accountId: AccountId,
    /** Ascends without gaps, and is never used again. */
    number: RentalNumber,
    firstPort: Port,
    lastPort: Port,
    reservedAt: Instant,
  }),
});
export type PortBlockReserved = EventOf<typeof PortBlockReserved>;

export const PortBlockReleased = defineEvent('PortBlockReleased', {
  version: 1,
  schema: z.strictObject({
    rentalId: JobId,
    number: RentalNumber,
    firstPort: Port,
    lastPort: Port,
    /** `not_submitted`: the order was rejected, or its process was lost before the job began. */
    reason: z.enum(['ended', 'not_submitted']),
    releasedAt: Instant,
  }),
});
export type PortBlockReleased = EventOf<typeof PortBlockReleased>;

/** A file of the workspace has new content. */
export const RentalFileSynced = defineEvent('RentalFileSynced', {
  version: 1,
  schema: z.strictObject({
    rentalId: JobId,
    accountId: AccountId,
    userId: UserId,
    /** Path and SHA-256 as JSON, sealed with the key of the user. */
    sealedFile: Sealed,
    /** Of the file. */
    bytes: z.int().nonnegative(),
    /** Of what was sent: the file, or its delta. */
    receivedBytes: z.int().nonnegative(),
    delta: z.enum(['vcdiff', 'bsdiff40']).nullable(),
    syncedAt: Instant,
  }),
});
export type RentalFileSynced = EventOf<typeof RentalFileSynced>;

/** The files and the log of an ended rental are deleted. */
export const RentalWorkspaceRemoved = defineEvent('RentalWorkspaceRemoved', {
  version: 1,
  schema: z.strictObject({ rentalId: JobId, removedAt: Instant }),
});
export type RentalWorkspaceRemoved = EventOf<typeof RentalWorkspaceRemoved>;

export type PortBlockEvent = PortBlockReserved | PortBlockReleased;
export const portBlockEvents = [PortBlockReserved, PortBlockReleased] as const;

export type WorkspaceEvent = RentalFileSynced | RentalWorkspaceRemoved;
export const workspaceEvents = [RentalFileSynced, RentalWorkspaceRemoved] as const;
