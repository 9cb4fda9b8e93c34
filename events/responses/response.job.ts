import { z } from 'zod';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { ResponseId } from './response.events.js';

/** The public fields of the job of a response in the background in the events of jobs. */

/** The name of its type. */
export const RESPONSE_JOB = 'response';

/** In `JobCompleted`: a rig may also have rejected it. In progress: it was cancelled at a rig. */
export const ResponseProgress = z.strictObject({
  status: z.enum(['completed', 'incomplete', 'failed', 'cancelled']),
  usageDoubts: UsageDoubts.exactOptional(),
});
export type ResponseProgress = z.infer<typeof ResponseProgress>;

/** In `JobSubmitted`. */
export const ResponseSummary = z.strictObject({
  responseId: ResponseId,
  model: z.string().min(1).max(256),
});
export type ResponseSummary = z.infer<typeof ResponseSummary>;
