import { z } from 'zod';
import { TrainingProgress, TrainingSummary } from './training.job.js';

/** Of the hold of a training: the facts that its estimate was made from. */
export const TrainingHoldEvidence = TrainingSummary;
export type TrainingHoldEvidence = z.infer<typeof TrainingHoldEvidence>;

/** Of its charge; `result` is null for one that did not complete. */
export const TrainingCaptureEvidence = TrainingSummary.extend({
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  result: TrainingProgress.nullable(),
});
export type TrainingCaptureEvidence = z.infer<typeof TrainingCaptureEvidence>;
