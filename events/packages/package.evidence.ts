import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';
import { PackageSummary } from './package.job.js';

/** The evidence of packages and of their downloads in the events of their holds. */

export const PackageHoldEvidence = PackageSummary.extend({ modelSha256: Sha256Hex });
export type PackageHoldEvidence = z.infer<typeof PackageHoldEvidence>;

export const PackageCaptureEvidence = PackageSummary.extend({
  packageUuid: z.uuid(),
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
});
export type PackageCaptureEvidence = z.infer<typeof PackageCaptureEvidence>;

export const DownloadEvidence = z.strictObject({
  packageUuid: z.uuid(),
  /** Of the whole package. */
  sha256: Sha256Hex,
  /** The first byte that was asked for, and the byte behind the last one. */
  start: z.int().nonnegative(),
  end: z.int().positive(),
});
export type DownloadEvidence = z.infer<typeof DownloadEvidence>;
