import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Region, Sha256Hex } from '../vocabulary.js';

/** The rigs that workers register: one stream `fleet-<rig>`. A heartbeat is no event. */

/** The description of a worker by itself; its name may be the name of its host, and is no part. */
export const WorkerRigDescription = z.strictObject({
  /** Null: in no region. */
  region: Region.nullable(),
  /** The maker of its first device, or of its processors; null where the machine does not say. */
  brand: z.string().max(64).nullable(),
  processor: z.string().max(256).nullable(),
  cores: z.int().positive(),
  hostMemoryBytes: z.int().positive(),
  /** The accelerators, in the order of their numbers; null where none was found. */
  devices: z
    .array(z.strictObject({ name: z.string().max(256), memoryBytes: z.int().positive() }))
    .nullable(),
  engines: z.array(
    z.strictObject({
      name: z.string().max(32),
      /** Tasks at once. */
      tasksMax: z.int().positive(),
      models: z.array(z.strictObject({ name: z.string().max(256), sha256: Sha256Hex })),
    }),
  ),
});
export type WorkerRigDescription = z.infer<typeof WorkerRigDescription>;

/** A process of a worker: its name as a hash, and its start. */
const process = {
  rig: RigName,
  node: z.string().regex(/^worker-[0-9a-f]{16}$/),
  startedAt: Instant,
};

export const WorkerRigRegistered = defineEvent('WorkerRigRegistered', {
  version: 1,
  schema: z.strictObject({
    ...process,
    /** `changed`: the same process describes itself in another way. */
    reason: z.enum(['new', 'restarted', 'changed']),
    description: WorkerRigDescription,
    registeredAt: Instant,
  }),
});
export type WorkerRigRegistered = EventOf<typeof WorkerRigRegistered>;

/** An operator wants the rig to take no new tasks. Holds until its worker is started again. */
export const WorkerRigDrainRequested = defineEvent('WorkerRigDrainRequested', {
  version: 1,
  schema: z.strictObject({ rig: RigName, requestedAt: Instant }),
});
export type WorkerRigDrainRequested = EventOf<typeof WorkerRigDrainRequested>;

/** It takes none any more, and the last one has ended. */
export const WorkerRigDrained = defineEvent('WorkerRigDrained', {
  version: 1,
  schema: z.strictObject({ rig: RigName, drainedAt: Instant }),
});
export type WorkerRigDrained = EventOf<typeof WorkerRigDrained>;

/** It has missed several heartbeats. */
export const WorkerRigLost = defineEvent('WorkerRigLost', {
  version: 1,
  schema: z.strictObject({ ...process, lastHeardAt: Instant, lostAt: Instant }),
});
export type WorkerRigLost = EventOf<typeof WorkerRigLost>;

/** A process that was lost is heard again. */
export const WorkerRigReturned = defineEvent('WorkerRigReturned', {
  version: 1,
  schema: z.strictObject({ ...process, returnedAt: Instant }),
});
export type WorkerRigReturned = EventOf<typeof WorkerRigReturned>;

/** It is silent after it had said that it stops. */
export const WorkerRigStopped = defineEvent('WorkerRigStopped', {
  version: 1,
  schema: z.strictObject({ ...process, lastHeardAt: Instant, stoppedAt: Instant }),
});
export type WorkerRigStopped = EventOf<typeof WorkerRigStopped>;

/** The heartbeats of a span: of an hour, or until the rig is lost or stops. */
export const WorkerRigSummarised = defineEvent('WorkerRigSummarised', {
  version: 1,
  schema: z.strictObject({
    ...process,
    from: Instant,
    to: Instant,
    /** As many as the process that records them has heard: fewer after a change of leader. */
    heartbeats: z.int().positive(),
    /** Of all engines, in the span. */
    doneTasks: z.int().nonnegative(),
    /** Since the start of the process. */
    doneTasksTotal: z.int().nonnegative(),
    /** The hottest sensor of processors and devices; null: none was read. */
    temperatureMaxC: z.number().nullable(),
    /** Of processors and devices together, the mean of the readings; null: none was read. */
    powerMeanW: z.number().nonnegative().nullable(),
  }),
});
export type WorkerRigSummarised = EventOf<typeof WorkerRigSummarised>;

export const workerRigEvents = [
  WorkerRigRegistered,
  WorkerRigDrainRequested,
  WorkerRigDrained,
  WorkerRigLost,
  WorkerRigReturned,
  WorkerRigStopped,
  WorkerRigSummarised,
] as const;
export type WorkerRigEvent = EventOf<(typeof workerRigEvents)[number]>;
