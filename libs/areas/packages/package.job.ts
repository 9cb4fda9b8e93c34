import { PACKAGE_JOB, PackageProgress, PackageSummary } from '#events/packages/package.job.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { PackageInput, Packager, PackageResult } from './packager.js';
import { packageProduct } from './packages.products.js';

const HOUR_MS = 3_600_000;

/** Makes a package. One that ends early pays for the bytes that it has read and written. */
export const packageJob = defineJob({
  name: PACKAGE_JOB,
  title: 'Air-gapped package',
  input: PackageInput,
  progress: PackageProgress,
  checkpoint: PackageResult,
  result: PackageResult,
  place: { on: 'areas', runner: Packager },
  limits: {
    openPerAccountMax: 20,
    runningPerAccountMax: 1,
    runningPerHostMax: 2,
    queueMsMax: 24 * HOUR_MS,
    runMsMax: 4 * HOUR_MS,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 1_000, maxMs: 60_000 },
    failures: {
      audit_not_ready: 'retry',
      model_changed: 'final',
      package_model_unknown: 'final',
      package_model_unsuitable: 'final',
      package_root_expired: 'final',
      package_expired: 'final',
      package_limit_reached: 'final',
    },
  },
  price: {
    product: packageProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: ({ jobId, outcome, summary }) => ({
      ...PackageSummary.parse(summary),
      packageUuid: jobId,
      outcome,
    }),
    model: ({ summary }) => PackageSummary.parse(summary).model,
  },
  repeats: 'never',
});
