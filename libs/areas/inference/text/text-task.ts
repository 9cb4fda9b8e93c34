import { z } from 'zod';

/** A larger scale drowns the model in its adapter. */
export const ADAPTER_SCALE_MAX = 8;

const Asked = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .readonly(),
  maxTokens: z.int().positive(),
  temperature: z.number(),
  topP: z.number().exactOptional(),
  stop: z.array(z.string()).readonly().exactOptional(),
  seed: z.number().exactOptional(),
  /** The answer is JSON of this shape: a subset of JSON Schema. */
  jsonSchema: z.record(z.string(), z.unknown()).readonly().exactOptional(),
  /** A line of a batch waits behind interactive requests. */
  priority: z.enum(['batch']).exactOptional(),
});

/** Lower-case hex of a GGUF file: a worker finds its own copy by it. */
const Sha256 = z.string().regex(/^[\da-f]{64}$/);
/** How strongly an adapter is applied; 1 is the strength that it was trained for. */
const scale = z.number().min(-ADAPTER_SCALE_MAX).max(ADAPTER_SCALE_MAX);

/** A request to a language model. */
export const TextTask = z.union([
  Asked.extend({
    modelSha256: Sha256,
    adapter: z.strictObject({ sha256: Sha256, scale }).exactOptional(),
  }),
  /** Absolute paths of GGUF files, where the process that asks runs the model itself. */
  Asked.extend({
    modelFile: z.string(),
    adapter: z.strictObject({ file: z.string(), scale }).exactOptional(),
  }),
]);
export type TextTask = z.infer<typeof TextTask>;

/**
 * A piece of text as the engine made it, with the tokens generated up to its end. The first piece
 * adds the tokens of the prompt. A tuple, because a small model makes a piece every millisecond.
 */
export const TextPiece = z.union([
  z.tuple([z.string(), z.int()]),
  z.tuple([z.string(), z.int(), z.int()]),
]);
export type TextPiece = z.infer<typeof TextPiece>;

/** How a generation ended; counted by the engine's own tokenizer. */
export const TextEnd = z.strictObject({
  promptTokens: z.int(),
  completionTokens: z.int(),
  finishReason: z.enum(['stop', 'length']),
  /**
   * Measured: the time to load the adapter and to put it on the weights. Null where it was in
   * place; absent for a task without one.
   */
  adapterSwapMs: z.number().nonnegative().nullable().exactOptional(),
});
export type TextEnd = z.infer<typeof TextEnd>;
