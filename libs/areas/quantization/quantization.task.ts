import { z } from 'zod';
import { OwnModelSlug } from '#events/platform/own-model.events.js';
import {
  QUANTIZATION_METHODS,
  WEIGHT_CODINGS,
} from '#events/quantization/quantization.evidence.js';
import { QuantizationProgress } from '#events/quantization/quantization.job.js';
import { Sha256Hex } from '#events/vocabulary.js';
import { TaskFile, TaskFilePart } from '#platform/tasks/task-file.js';

/** The task of a quantization as an engine takes it: JSON only, in parts that fit a message. */

const Count = z.int().nonnegative();
const Coding = z.enum(WEIGHT_CODINGS);

const Loss = z.strictObject({ tokens: Count, nats: z.number() });

/** The measurements so far; another attempt continues behind them. */
export const Measurements = z.strictObject({
  baseline: Loss.nullable(),
  sensitivities: z
    .array(
      z.strictObject({
        tensor: z.string(),
        coding: z.enum([...WEIGHT_CODINGS, 'F32']),
        nats: z.number(),
      }),
    )
    .readonly(),
});
export type Measurements = z.infer<typeof Measurements>;

export const QuantizationTask = z.strictObject({
  model: TaskFile,
  /** Written into the file of the result. */
  name: z.string(),
  coding: Coding,
  budgetBytes: z.int().positive().nullable(),
  kernel: z.enum(['multiply', 'add_subtract']),
  text: z.string(),
  /** Null quantizes the weights as they are. */
  training: z
    .strictObject({
      text: TaskFile,
      steps: z.int().positive(),
      learningRate: z.number().positive(),
      seed: Count,
      checkpoint: TaskFile.nullable(),
    })
    .nullable(),
  known: Measurements,
});
export type QuantizationTask = z.infer<typeof QuantizationTask>;

export const QuantizationPiece = z.union([
  z.strictObject({
    done: Count,
    total: Count,
    /** Weights times tokens of all steps so far, also in other attempts. */
    products: Count,
    phase: z.enum(['training', 'measuring']),
    measurements: Measurements,
  }),
  /** Of the training, up to its last step. */
  z.strictObject({ checkpoint: TaskFilePart }),
  z.strictObject({ file: TaskFilePart }),
]);
export type QuantizationPiece = z.infer<typeof QuantizationPiece>;

export const QuantizationEnd = z.strictObject({
  report: z.strictObject({
    parameters: Count,
    originalBytes: Count,
    quantizedBytes: Count,
    baseline: Loss,
    quantized: Loss,
    tensors: z
      .array(
        z.strictObject({
          tensor: z.string(),
          coding: z.enum([...WEIGHT_CODINGS, 'F32']),
          format: z.string(),
          originalBytes: Count,
          bytes: Count,
          divergenceNatsPerToken: z.number().nullable(),
        }),
      )
      .readonly(),
    energySavingPct: z.number(),
  }),
  speed: z.strictObject({
    originalTokensPerSecond: z.number().nullable(),
    quantizedTokensPerSecond: z.number().nullable(),
  }),
});
export type QuantizationEnd = z.infer<typeof QuantizationEnd>;

/** The input of a job. */
export const QuantizationInput = z.strictObject({
  model: z.strictObject({ name: z.string(), sha256: Sha256Hex }),
  slug: OwnModelSlug,
  method: z.enum(QUANTIZATION_METHODS),
  coding: Coding,
  budgetBytes: z.int().positive().nullable(),
  addsOnly: z.boolean(),
  trainingSteps: z.int().positive().nullable(),
  seed: Count,
  /** Of the model that is made. */
  terms: z.strictObject({
    contextTokens: z.int().positive(),
    maxOutputTokens: z.int().positive(),
    price: z.record(z.string(), z.unknown()),
    rateCardVersion: z.int().positive(),
    batchDiscountPercent: z.int(),
  }),
});
export type QuantizationInput = z.infer<typeof QuantizationInput>;

export const QuantizationCheckpoint = z.strictObject({
  measurements: Measurements,
  /** The address of the blob of the training's last state; null without one. */
  training: Sha256Hex.nullable(),
  shown: QuantizationProgress,
});
export type QuantizationCheckpoint = z.infer<typeof QuantizationCheckpoint>;

export const QuantizationResult = QuantizationEnd.extend({
  /** The name of the model that was made. */
  model: z.string(),
  sha256: Sha256Hex,
});
export type QuantizationResult = z.infer<typeof QuantizationResult>;
