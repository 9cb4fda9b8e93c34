import { z } from 'zod';
import { TrainingProgress } from '#events/training/training.job.js';
import { Sha256Hex } from '#events/vocabulary.js';
import { TaskFile, TaskFilePart } from '#platform/tasks/task-file.js';

/** The task of a training as an engine takes it: JSON only, in parts that fit a message. */

const Method = z.union([
  z.strictObject({ kind: z.literal('next_token') }),
  z.strictObject({ kind: z.literal('teacher_text') }),
  z.strictObject({
    kind: z.literal('distillation'),
    temperature: z.number().positive(),
    alpha: z.number().nonnegative(),
    beta: z.number().nonnegative(),
  }),
]);

const Recipe = z.strictObject({
  steps: z.int().positive(),
  rows: z.int().min(2),
  positions: z.int().positive(),
  learningRate: z.number().positive(),
  warmUpSteps: z.int().nonnegative(),
  seed: z.int().nonnegative(),
  checkpointSteps: z.int().positive(),
  tuning: z.union([
    z.strictObject({ kind: z.literal('full') }),
    z.strictObject({
      kind: z.literal('lora'),
      rank: z.int().positive(),
      alpha: z.number().positive(),
      seed: z.int().nonnegative(),
    }),
  ]),
});

/** The parts of a task that decide its bits, beside the files. */
export const TrainingPlan = z.strictObject({ name: z.string(), method: Method, recipe: Recipe });
export type TrainingPlan = z.infer<typeof TrainingPlan>;

export const TrainingTask = TrainingPlan.extend({
  student: TaskFile,
  teacher: TaskFile.nullable(),
  text: TaskFile,
  checkpoint: TaskFile.nullable(),
});
export type TrainingTask = z.infer<typeof TrainingTask>;

const Count = z.int().nonnegative();

/** As the engine reports it, over all attempts. */
export const WorkProgress = z.strictObject({
  phase: z.enum(['generating', 'training']),
  done: Count,
  total: Count,
  loss: z.number().nullable(),
  tokens: Count,
  seconds: z.number().nonnegative(),
});
export type WorkProgress = z.infer<typeof WorkProgress>;

export const TrainingPiece = z.union([
  z.strictObject({ progress: WorkProgress }),
  z.strictObject({ checkpoint: TaskFilePart, at: WorkProgress }),
  z.strictObject({ weights: TaskFilePart }),
]);
export type TrainingPiece = z.infer<typeof TrainingPiece>;

const HeldOut = z.strictObject({
  perplexity: z.number(),
  divergence: z.number().nullable(),
  tokens: z.number(),
});

export const TrainingEnd = z.strictObject({
  before: HeldOut,
  after: HeldOut,
  losses: z.array(z.number()).readonly(),
  tokens: Count,
  seconds: z.number().nonnegative(),
  learnedParameters: Count,
});
export type TrainingEnd = z.infer<typeof TrainingEnd>;

const Source = z.strictObject({ name: z.string(), sha256: Sha256Hex });

/** The input of a job. */
export const TrainingInput = z.strictObject({
  student: Source,
  teacher: Source.nullable(),
  /** Documents, one a line. */
  lines: z.string(),
  jobName: z.string(),
  kind: z.enum(['distillation', 'fine_tuning']),
  plan: TrainingPlan,
  estimatedMs: Count,
  /** Of the model that is made. */
  terms: z.strictObject({
    contextTokens: z.int().positive(),
    maxOutputTokens: z.int().positive(),
    price: z.record(z.string(), z.unknown()),
    rateCardVersion: z.int().positive(),
    batchDiscountPercent: z.int(),
    parameters: z.int().positive(),
  }),
});
export type TrainingInput = z.infer<typeof TrainingInput>;

/** Where another attempt continues: the state of the engine is a blob of its own. */
export const TrainingCheckpoint = z.strictObject({
  blob: Sha256Hex,
  shown: TrainingProgress,
});
export type TrainingCheckpoint = z.infer<typeof TrainingCheckpoint>;

export const TrainingResult = TrainingEnd.extend({ model: z.string(), sha256: Sha256Hex });
export type TrainingResult = z.infer<typeof TrainingResult>;
