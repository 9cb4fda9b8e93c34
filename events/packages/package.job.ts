import { z } from 'zod';
import { HardwareArchitecture, PackageName } from './package.events.js';

/** The public fields of the job of a package in the events of jobs. */

/** The name of its type. */
export const PACKAGE_JOB = 'scif-package';

/** In `JobSubmitted`. */
export const PackageSummary = z.strictObject({
  packageName: PackageName,
  model: z.string().min(1).max(256),
  hardwareArchitecture: HardwareArchitecture.nullable(),
  /** Of the archive. */
  estimatedBytes: z.int().positive(),
});
export type PackageSummary = z.infer<typeof PackageSummary>;

/** In `JobProgressed` and `JobCompleted`. */
export const PackageProgress = z.strictObject({
  /** Of the archive. */
  bytesWritten: z.int().nonnegative(),
  bytes: z.int().positive(),
});
export type PackageProgress = z.infer<typeof PackageProgress>;
