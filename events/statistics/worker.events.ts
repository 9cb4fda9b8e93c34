import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';

/** The report of a worker on itself: one stream `worker-<name>`. */

/** A worker's instance or a rig; never an address or a serial number. */
export const NodeName = z.string().regex(/^[a-z][a-z0-9.-]{0,100}$/);

/** Null: the node does not report it. */
export const WorkerReadings = z.strictObject({
  /** GPUs, or processors where it has none. */
  units: z.int().positive().nullable(),
  /** Of all its units together. */
  tflops: z.number().positive().nullable(),
  brand: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9 .-]{0,31}$/)
    .nullable(),
  /** The mean of its units. */
  temperatureC: z.number().min(-100).max(200).nullable(),
  /** Of all its units together. */
  powerW: z.number().nonnegative().nullable(),
});
export type WorkerReadings = z.infer<typeof WorkerReadings>;

export const WorkerSampled = defineEvent('WorkerSampled', {
  version: 1,
  schema: z.strictObject({
    node: NodeName,
    /** Whether it takes work. */
    isOnline: z.boolean(),
    ...WorkerReadings.shape,
    sampledAt: Instant,
  }),
});
export type WorkerSampled = EventOf<typeof WorkerSampled>;

export const statisticsEvents = [WorkerSampled] as const;
