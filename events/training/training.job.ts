import { z } from 'zod';
import { OwnModelSlug } from '../platform/own-model.events.js';
import { Sha256Hex } from '../vocabulary.js';

/** The public fields of distillations and fine-tunings in the events of jobs. */

export const DISTILLATION_JOB = 'distillation';
export const FINE_TUNING_JOB = 'fine-tuning';

export const DISTILLATION_METHODS = [
  'cot_reasoning_trace',
  'kl_divergence_logits',
  'hybrid_loss',
] as const;

const Millis = z.int().nonnegative();

const Model = z.strictObject({
  name: z.string().min(1).max(256),
  /** Of the file. */
  sha256: Sha256Hex,
  parameters: z.int().positive(),
});

/** In `JobSubmitted`. */
export const TrainingSummary = z.strictObject({
  /** The number of the training in its account, from 1. */
  number: z.int().positive(),
  jobName: OwnModelSlug,
  student: Model,
  /** Null for a fine-tuning. */
  teacher: Model.nullable(),
  /** A method of distillation, or a kind of fine-tuning. */
  method: z.enum([...DISTILLATION_METHODS, 'supervised', 'lora']),
  /** `corpus:quipu`, or the id of a file; and its hash as it is trained on. */
  text: z.strictObject({ name: z.string().min(1).max(256), sha256: Sha256Hex }),
  steps: z.int().positive(),
  seed: z.int().nonnegative(),
  /** Of a fine-tuning, as its request states them or as they were chosen. */
  epochs: z.int().positive().nullable(),
  batchSize: z.int().positive(),
  learningRateMultiplier: z.number().positive(),
  /** Null: every weight is trained. */
  loraRank: z.int().positive().nullable(),
  estimatedMs: Millis,
});
export type TrainingSummary = z.infer<typeof TrainingSummary>;

const HeldOutFigures = z.strictObject({
  perplexity: z.number().positive(),
  /** Mean KL(teacher || student) of a token in nats; null without a teacher. */
  divergence: z.number().nullable(),
  tokens: z.number().nonnegative(),
});
export type HeldOutFigures = z.infer<typeof HeldOutFigures>;

/** In `JobProgressed` and `JobCompleted`. */
export const TrainingProgress = z.strictObject({
  phase: z.enum(['generating', 'training', 'finished']),
  step: z.int().nonnegative(),
  /** Of the last step; null before it. */
  loss: z.number().nullable(),
  tokens: z.int().nonnegative(),
  /** Measured over all attempts; null before the first piece of work. */
  tokensPerSecond: z.number().nonnegative().nullable(),
  etaSeconds: z.int().nonnegative().nullable(),
  /** The step of the last checkpoint. */
  checkpointStep: z.int().nonnegative().nullable(),
  /** Of the student, before and after; null until they are measured. */
  heldOut: z.strictObject({ before: HeldOutFigures, after: HeldOutFigures }).nullable(),
  /** The model that was made; null before. */
  model: z.string().nullable(),
  measuredMs: Millis,
  /** How far the estimate was above the measurement, in percent of it; null before the end. */
  estimateErrorPct: z.number().nullable(),
});
export type TrainingProgress = z.infer<typeof TrainingProgress>;
