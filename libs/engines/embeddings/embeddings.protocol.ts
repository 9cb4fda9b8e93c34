import { z } from 'zod';

/** Texts and token arrays of one task. */
export const INPUTS_MAX = 2_048;
/** No model has more. */
export const DIMENSIONS_MAX = 16_384;
const TOKEN_ID_MAX = 2 ** 31 - 1;

/** A text, or the tokens of one by the model's own tokenizer. */
export const EmbeddingInput = z.union([
  z.string().min(1),
  z.array(z.int().min(0).max(TOKEN_ID_MAX)).min(1).readonly(),
]);
export type EmbeddingInput = z.infer<typeof EmbeddingInput>;

const Asked = z.strictObject({
  inputs: z.array(EmbeddingInput).min(1).max(INPUTS_MAX).readonly(),
  /** The first ones of each vector, made a unit vector again; null for all. */
  dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullable(),
});

export const EmbeddingTask = z.union([
  /** Lower-case hex of the weights: a worker finds its own copy by it. */
  Asked.extend({ modelSha256: z.string().regex(/^[\da-f]{64}$/) }),
  /** Absolute path, where the process that asks runs the model itself. */
  Asked.extend({ modelFile: z.string() }),
]);
export type EmbeddingTask = z.infer<typeof EmbeddingTask>;

/** Some of the inputs, in their order. */
export const EmbeddingPiece = z.array(
  z.strictObject({
    /** 32-bit floats, little-endian, in base64. */
    vector: z.base64(),
    tokens: z.int().nonnegative(),
  }),
);
export type EmbeddingPiece = z.infer<typeof EmbeddingPiece>;

export const EmbeddingEnd = z.strictObject({ dimensions: z.int().positive() });
export type EmbeddingEnd = z.infer<typeof EmbeddingEnd>;

/** One input that was embedded. */
export interface EmbeddedInput {
  readonly vector: Float32Array;
  readonly tokens: number;
}
