import { z } from 'zod';
import { Telemetry } from '#platform/telemetry/telemetry.js';

/** The reports of every worker on itself; keyed by worker. Holds no task and no answer. */
export const HEARTBEATS_TOPIC = 'quipu.workers.heartbeats';

/** A worker reports this often, and once more when it stops. */
export const HEARTBEAT_MS = 5_000;

/** Missed heartbeats after which a worker is lost. */
export const MISSED_HEARTBEATS_MAX = 3;

const Instant = z.iso.datetime({ precision: 3 });

const Bytes = z.int().positive();

/** The hardware that a worker measured when it started. */
export const WorkerHardware = z.strictObject({
  /** Of the host, as far as the process may use it. */
  hostMemoryBytes: Bytes,
  /** The model of its processors; null where the system does not say. */
  processor: z.string().nullable(),
  cores: z.int().positive(),
  /** The accelerators, in the order of their numbers; null where none was found. */
  devices: z
    .array(z.strictObject({ name: z.string(), memoryBytes: Bytes }))
    .readonly()
    .nullable(),
});
export type WorkerHardware = z.infer<typeof WorkerHardware>;

/** The rig as which a worker registers. */
export const WorkerRig = z.strictObject({
  name: z.string(),
  /** Null: in no region. */
  region: z.string().nullable(),
});
export type WorkerRig = z.infer<typeof WorkerRig>;

const EngineHeartbeat = z.strictObject({
  name: z.string(),
  ready: z.boolean(),
  /** Why the engine is not ready; empty when it is. */
  reasons: z.array(z.string()).readonly(),
  /** Tasks taken and not ended. */
  runningTasks: z.int().nonnegative(),
  /** More tasks at once are rejected. */
  tasksMax: z.int().positive(),
  /** Tasks that were done since the start of the worker. */
  doneTasks: z.int().nonnegative(),
  /** Milliseconds since the start in which at least one task ran. */
  busyMs: z.int().nonnegative(),
  /** The models that the engine serves. */
  models: z.array(z.strictObject({ name: z.string(), sha256: z.string() })).readonly(),
  facts: z.record(z.string(), z.union([z.number(), z.string()])).readonly(),
});

/** The data of a heartbeat. A reader compares `sentAt` with its own clock. */
export const WorkerHeartbeat = z.strictObject({
  worker: z.string(),
  rig: WorkerRig,
  startedAt: Instant,
  sentAt: Instant,
  /**
   * `draining`: the worker finishes what it has and takes no more tasks, as its operator asked.
   * `stopping`: the same, and then the process ends.
   */
  status: z.enum(['starting', 'ready', 'not_ready', 'draining', 'stopping']),
  hardware: WorkerHardware,
  telemetry: Telemetry,
  engines: z.array(EngineHeartbeat),
});
export type WorkerHeartbeat = z.infer<typeof WorkerHeartbeat>;
