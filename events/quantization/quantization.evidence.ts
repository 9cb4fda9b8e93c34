import { z } from 'zod';
import { OwnModelSlug } from '../platform/own-model.events.js';
import { Sha256Hex } from '../vocabulary.js';

/** The evidence of quantizations in the events of their holds. */

export const QUANTIZATION_METHODS = ['ptq', 'qat'] as const;
export const WEIGHT_CODINGS = ['BITNET', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0'] as const;

const Count = z.int().nonnegative();
const ModelName = z.string().min(1).max(256);

/** A quantization as it was ordered. */
export const QuantizationHoldEvidence = z.strictObject({
  model: ModelName,
  modelSha256: Sha256Hex,
  parameters: z.int().positive(),
  /** Of the model that is made, in the account's own name space. */
  slug: OwnModelSlug,
  /** `ptq`: the weights as they are. `qat`: they are trained for their coding first. */
  method: z.enum(QUANTIZATION_METHODS),
  /** Of all layers; with a budget, the smallest one. */
  coding: z.enum(WEIGHT_CODINGS),
  /** Whether the products of ternary weights only add and subtract. */
  addsOnly: z.boolean(),
  /** The most that all tensors may have; null for one coding. */
  memoryBudgetBytes: z.int().positive().nullable(),
  /** Of `qat`; null of `ptq`. */
  trainingSteps: z.int().positive().nullable(),
  seed: Count,
  /** The held-out text of every measurement. */
  text: z.strictObject({ name: z.string().min(1).max(128), sha256: Sha256Hex }),
  /** Of products, by which the hold was made. */
  estimatedProducts: Count,
});
export type QuantizationHoldEvidence = z.infer<typeof QuantizationHoldEvidence>;

/** A tensor that lost much. */
const TensorLoss = z.strictObject({
  tensor: z.string().min(1).max(128),
  coding: z.string().min(1).max(32),
  /** Of the file, by llama.cpp's name. */
  format: z.string().min(1).max(32),
  /** The mean divergence (KL) of the model when this tensor alone is coded. */
  divergenceNatsPerToken: z.number(),
});

export const QuantizationMeasured = z.strictObject({
  originalBytes: Count,
  quantizedBytes: Count,
  /** Predicted tokens of the text. */
  tokens: Count,
  baselinePerplexity: z.number(),
  quantizedPerplexity: z.number(),
  /** Modelled. */
  energySavingPct: z.number(),
  /** Of answers of llama.cpp on the machine that quantized; null where it gave none. */
  originalTokensPerSecond: z.number().nullable(),
  quantizedTokensPerSecond: z.number().nullable(),
  /** The tensors that lose most, the worst first. */
  losses: z.array(TensorLoss).max(10),
  /** Of the file of the model. */
  sha256: Sha256Hex,
  bytes: Count,
});
export type QuantizationMeasured = z.infer<typeof QuantizationMeasured>;

export const QuantizationCaptureEvidence = QuantizationHoldEvidence.extend({
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** Null where it did not complete. */
  measured: QuantizationMeasured.nullable(),
});
export type QuantizationCaptureEvidence = z.infer<typeof QuantizationCaptureEvidence>;
