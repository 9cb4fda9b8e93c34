import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';

/** The name by which an account knows one of its agents. */
export const AgentName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);

/** Chosen by the account, and unique in it. */
export const MeshTaskId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);

/** 1, 2, … for the leases of one task: work under a lower token is rejected. */
export const MeshToken = z.int().positive();

const ofTask = { accountId: AccountId, taskId: MeshTaskId };
const ofLease = { ...ofTask, agent: AgentName, token: MeshToken };

/** A task has an agent from now on, under a new token. The first event of its stream creates it. */
export const MeshTaskHandedOff = defineEvent('MeshTaskHandedOff', {
  version: 1,
  schema: z.strictObject({
    ...ofTask,
    /** The request, so that a repeat is recognised. */
    handoffId: z.uuid(),
    /** The agent that hands the task on; null where none is named. */
    fromAgent: AgentName.nullable(),
    toAgent: AgentName,
    token: MeshToken,
    /** `handed_off`: by the holder. `expired`, `released`: the task had no holder any more. */
    because: z.enum(['created', 'handed_off', 'expired', 'released']),
    ttlSeconds: z.int().positive(),
    /** Where the agent finds what it needs, in the account's own terms. */
    contextRef: z.string().min(1).max(256).nullable(),
    handedOffAt: Instant,
    expiresAt: Instant,
    /** No renewal goes beyond it. */
    renewableUntil: Instant,
  }),
});
export type MeshTaskHandedOff = EventOf<typeof MeshTaskHandedOff>;

export const MeshLeaseRenewed = defineEvent('MeshLeaseRenewed', {
  version: 1,
  schema: z.strictObject({ ...ofLease, renewedAt: Instant, expiresAt: Instant }),
});
export type MeshLeaseRenewed = EventOf<typeof MeshLeaseRenewed>;

/** Recorded when the lease has ended by the clock and no other agent has the task yet. */
export const MeshLeaseExpired = defineEvent('MeshLeaseExpired', {
  version: 1,
  schema: z.strictObject({ ...ofLease, expiredAt: Instant }),
});
export type MeshLeaseExpired = EventOf<typeof MeshLeaseExpired>;

export const MeshLeaseReleased = defineEvent('MeshLeaseReleased', {
  version: 1,
  schema: z.strictObject({ ...ofLease, releasedAt: Instant }),
});
export type MeshLeaseReleased = EventOf<typeof MeshLeaseReleased>;

/** The last event of a task. */
export const MeshTaskCompleted = defineEvent('MeshTaskCompleted', {
  version: 1,
  schema: z.strictObject({
    ...ofLease,
    /** Where the result is, in the account's own terms. */
    resultRef: z.string().min(1).max(256).nullable(),
    completedAt: Instant,
  }),
});
export type MeshTaskCompleted = EventOf<typeof MeshTaskCompleted>;

export type MeshTaskEvent =
  MeshTaskHandedOff | MeshLeaseRenewed | MeshLeaseExpired | MeshLeaseReleased | MeshTaskCompleted;

export const meshTaskEvents = [
  MeshTaskHandedOff,
  MeshLeaseRenewed,
  MeshLeaseExpired,
  MeshLeaseReleased,
  MeshTaskCompleted,
] as const;
