import { z } from 'zod';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { ResponseSummary } from './response.job.js';

/** The evidence of a response in the background in the events of its hold. */

export const ResponseHoldEvidence = ResponseSummary;
export type ResponseHoldEvidence = z.infer<typeof ResponseHoldEvidence>;

export const ResponseCaptureEvidence = ResponseSummary.extend({
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** Processes that worked on it, one after the other. */
  attempts: z.int().nonnegative(),
  usageDoubts: UsageDoubts.exactOptional(),
});
export type ResponseCaptureEvidence = z.infer<typeof ResponseCaptureEvidence>;
