import { z } from 'zod';

/** What every worker reports of itself; keyed by worker. Holds no task and no answer. */
export const HEARTBEATS_TOPIC = 'quipu.workers.heartbeats';

/** A worker reports this often, and once more when it stops. */
export const HEARTBEAT_MS = 5_000;

const Instant = z.iso.datetime({ precision: 3 });

const Bytes = z.int().positive();

/** What a worker has measured of its machine when it started. */
export const WorkerHardware = z.strictObject({
  /** Of the host, as far as the process may use it. */
  hostMemoryBytes: Bytes,
  /** The accelerators, in the order of their numbers; null where none was found. */
  devices: z
    .array(z.strictObject({ name: z.string(), memoryBytes: Bytes }))
    .readonly()
    .nullable(),
});
export type WorkerHardware = z.infer<typeof WorkerHardware>;

/** The data of a heartbeat. A reader compares `sentAt` with its own clock. */
export const WorkerHeartbeat = z.strictObject({
  worker: z.string(),
  startedAt: Instant,
  sentAt: Instant,
  /** `stopping`: the worker finishes what it has and takes no more tasks. */
  status: z.enum(['starting', 'ready', 'not_ready', 'stopping']),
  hardware: WorkerHardware,
  engines: z.array(
    z.strictObject({
      name: z.string(),
      ready: z.boolean(),
      /** Why the engine is not ready; empty when it is. */
      reasons: z.array(z.string()).readonly(),
      /** Tasks taken and not ended. */
      runningTasks: z.int().nonnegative(),
      facts: z.record(z.string(), z.union([z.number(), z.string()])).readonly(),
    }),
  ),
});
export type WorkerHeartbeat = z.infer<typeof WorkerHeartbeat>;
