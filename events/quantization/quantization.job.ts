import { z } from 'zod';
import { QuantizationHoldEvidence, QuantizationMeasured } from './quantization.evidence.js';

/** The public fields of the job of a quantization in the events of jobs. */

/** The name of its type. */
export const QUANTIZATION_JOB = 'quantization';

/** In `JobSubmitted`. */
export const QuantizationSummary = QuantizationHoldEvidence;
export type QuantizationSummary = z.infer<typeof QuantizationSummary>;

/** In `JobProgressed` and `JobCompleted`. */
export const QuantizationProgress = z.strictObject({
  phase: z.enum(['training', 'measuring', 'finished']),
  /** Weights times tokens so far, three times for the training ones. */
  products: z.int().nonnegative(),
  /** Null before the end. */
  measured: QuantizationMeasured.nullable(),
});
export type QuantizationProgress = z.infer<typeof QuantizationProgress>;
