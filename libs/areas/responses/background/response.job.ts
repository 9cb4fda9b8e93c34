import { z } from 'zod';
import { RESPONSE_JOB, ResponseProgress, ResponseSummary } from '#events/responses/response.job.js';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { BackgroundInput, ResponseResult } from './background-input.js';
import { ResponseRunner } from './response-runner.js';
import { responseProduct } from './response.product.js';

const HOUR_MS = 3_600_000;

/** A response in the background is one job. */
export const responseJob = defineJob({
  name: RESPONSE_JOB,
  title: 'Response in the background',
  input: BackgroundInput,
  progress: ResponseProgress,
  checkpoint: z.null(),
  result: ResponseResult,
  place: { on: 'areas', runner: ResponseRunner },
  limits: {
    openPerAccountMax: 1_000,
    runningPerAccountMax: 16,
    runningPerHostMax: 64,
    queueMsMax: 24 * HOUR_MS,
    runMsMax: HOUR_MS,
  },
  retry: {
    attemptsMax: 10,
    backOff: { firstMs: 500, maxMs: 60_000 },
    failures: { rigs_unavailable: 'retry', response_not_found: 'final' },
  },
  // A second job would belong to no response.
  repeats: 'never',
  price: {
    product: responseProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: ({ outcome, attempts, summary, shown }) => ({
      ...ResponseSummary.parse(summary),
      outcome,
      attempts,
      ...doubtsOf(shown ? [ResponseProgress.parse(shown)] : []),
    }),
    model: ({ summary }) => ResponseSummary.parse(summary).model,
  },
});
