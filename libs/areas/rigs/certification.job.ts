import { z } from 'zod';
import { CertificationProgress, RIG_CERTIFICATION_JOB } from '#events/rigs/rig.job.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { CertificationInput, MeasuredFacts } from './certification-facts.js';
import { CertificationRunner } from './certification-runner.js';

/**
 * The account of every certification. No user has it, since the accounts of users are numbers. One
 * account runs one certification at a time, so no certification slows another down.
 */
export const OPERATOR_ACCOUNT = 'operator';

const MAX_MS = 600_000;

export const certificationJob = defineJob({
  name: RIG_CERTIFICATION_JOB,
  title: 'Certification of a rig',
  input: CertificationInput,
  progress: CertificationProgress,
  checkpoint: z.null(),
  result: MeasuredFacts,
  place: { on: 'areas', runner: CertificationRunner },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 1,
    runningPerHostMax: 1,
    queueMsMax: MAX_MS,
    runMsMax: MAX_MS,
  },
  retry: {
    attemptsMax: 3,
    backOff: { firstMs: 1_000, maxMs: 10_000 },
    failures: { rig_unknown: 'final' },
  },
  price: null,
});
