import { z } from 'zod';

export const TRANSPORTS = ['websocket', 'wireguard_direct'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export const PipelineMessage = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type PipelineMessage = z.infer<typeof PipelineMessage>;

const Asked = z.strictObject({
  messages: z.array(PipelineMessage).readonly(),
  transport: z.enum(TRANSPORTS),
  maxTokens: z.int().positive(),
  temperature: z.number(),
  topP: z.number().exactOptional(),
  stop: z.array(z.string()).readonly().exactOptional(),
  seed: z.int().exactOptional(),
});

/** A request to the engine of pipelines. */
export const PipelineTask = z.union([
  /** Lower-case hex of the GGUF file: a worker finds its own copy by it. */
  Asked.extend({ modelSha256: z.string().regex(/^[\da-f]{64}$/) }),
  /** Absolute path of a GGUF file, where the process that asks runs the pipeline itself. */
  Asked.extend({ modelFile: z.string() }),
]);
export type PipelineTask = z.infer<typeof PipelineTask>;

/** Text, then the tokens of the answer up to its end, and the tokens of the prompt. */
export const PipelinePiece = z.tuple([z.string(), z.int(), z.int()]);
export type PipelinePiece = z.infer<typeof PipelinePiece>;

const Milliseconds = z.number().nonnegative().nullable();

export const PipelineStage = z.strictObject({
  stage: z.int().nonnegative(),
  /** The process that held it at the end: its host's name and its id there. */
  node: z.string(),
  first: z.int().nonnegative(),
  last: z.int().nonnegative(),
  /** Mean of the hops into this stage, from sending to receiving; null where not measured. */
  transportLatencyMs: Milliseconds,
  computeMs: Milliseconds,
});
export type PipelineStage = z.infer<typeof PipelineStage>;

export const PipelineEnd = z.strictObject({
  promptTokens: z.int(),
  completionTokens: z.int(),
  finishReason: z.enum(['stop', 'length']),
  modelSha256: z.string(),
  stages: z.array(PipelineStage).readonly(),
  failovers: z.int().nonnegative(),
  /** Mean of the hops from the last stage back; null where not measured. */
  returnLatencyMs: Milliseconds,
});
export type PipelineEnd = z.infer<typeof PipelineEnd>;
