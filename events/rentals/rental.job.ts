import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { MicroUsdDecimal } from '../vocabulary.js';

/** The name of the job type. The id of a rental is the id of its job. */
export const RENTAL_JOB = 'rental';

/** 1, 2, …: the `job_id` of the file sync. */
export const RentalNumber = z.int().positive();

export const Port = z.int().min(1).max(65_535);

/** So many consecutive ports belong to a rental. */
export const PORTS_PER_RENTAL = 100;

/** The summary of the order in lists and statements. */
export const RentalSummary = z.strictObject({
  number: RentalNumber,
  rig: RigName,
  /** Null: a process. */
  image: z.string().nullable(),
  firstPort: Port,
  lastPort: Port,
  microUsdPerHour: MicroUsdDecimal,
});
export type RentalSummary = z.infer<typeof RentalSummary>;

/** The public progress of a running rental. */
export const RentalProgress = z.strictObject({
  /** In which it ran, over all attempts; each started second counts. */
  seconds: z.int().nonnegative(),
  engine: z.enum(['container', 'process']),
  /** Whether the limits of memory, processes and CPU are in force. */
  isLimited: z.boolean(),
});
export type RentalProgress = z.infer<typeof RentalProgress>;

/** How the program of a rental has ended. */
export const RentalExit = z.strictObject({
  /** Null where a signal has ended it. */
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
});
export type RentalExit = z.infer<typeof RentalExit>;
