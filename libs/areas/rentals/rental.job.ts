import { z } from 'zod';
import {
  RENTAL_JOB,
  RentalExit,
  RentalProgress,
  RentalSummary,
} from '#events/rentals/rental.job.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { RentalInput } from './rental-input.js';
import { rentalProduct } from './rental.product.js';
import { RentalRunner } from './running/rental-runner.js';

/**
 * Held from the start on, and above what is used. A renewal comes every five minutes, so a process
 * that is away for ten more leaves nothing unpaid.
 */
export const AHEAD_SECONDS = 900;

const QUEUE_MS_MAX = 600_000;
const RUN_MS_MAX = 30 * 24 * 3_600_000;

/** A rental is one job. Another attempt starts the program again, in the same workspace. */
export const rentalJob = defineJob({
  name: RENTAL_JOB,
  title: 'Rental of a rig',
  input: RentalInput,
  progress: RentalProgress,
  checkpoint: z.null(),
  result: RentalExit,
  place: { on: 'areas', runner: RentalRunner },
  limits: {
    openPerAccountMax: 10,
    runningPerAccountMax: 10,
    runningPerHostMax: 32,
    queueMsMax: QUEUE_MS_MAX,
    runMsMax: RUN_MS_MAX,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 1_000, maxMs: 30_000 },
    failures: {
      rental_engine_missing: 'final',
      rental_image_unsupported: 'final',
      rental_not_started: 'final',
    },
  },
  // Another job would have the ports of the first.
  repeats: 'never',
  price: {
    product: rentalProduct,
    whenUnfinished: 'what_was_used',
    ahead: [{ meter: 'seconds', quantity: AHEAD_SECONDS }],
    evidence: ({ jobId, outcome, attempts, summary }) => {
      const { number, rig } = RentalSummary.parse(summary);
      return { rentalId: jobId, number, rig, outcome, attempts };
    },
  },
});
