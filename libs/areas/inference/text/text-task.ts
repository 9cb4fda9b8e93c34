import { z } from 'zod';

/** A larger scale drowns the model in its adapter. */
export const ADAPTER_SCALE_MAX = 8;

/** As many choices as the body of a chat may ask for. */
export const CHOICES_MAX = 16;
export const TOP_LOGPROBS_MAX = 20;

const Json = z.record(z.string(), z.unknown()).readonly();

/** An earlier call of a tool, with its parsed arguments and the tool's answer. */
const PastCall = z.strictObject({
  name: z.string(),
  arguments: z.unknown(),
  result: z.string(),
});

const Message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
  calls: z.array(PastCall).readonly().exactOptional(),
});

const ToolFunction = z.strictObject({
  name: z.string(),
  description: z.string().exactOptional(),
  parameters: Json,
});

const Asked = z.strictObject({
  messages: z.array(Message).readonly(),
  /** 0 counts the prompt and writes nothing. */
  maxTokens: z.int().nonnegative(),
  temperature: z.number(),
  topP: z.number().exactOptional(),
  stop: z.array(z.string()).readonly().exactOptional(),
  seed: z.number().exactOptional(),
  choices: z.int().min(1).max(CHOICES_MAX).exactOptional(),
  topLogprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).exactOptional(),
  /** The answer is JSON of this shape: a subset of JSON Schema. */
  jsonSchema: Json.exactOptional(),
  tools: z
    .strictObject({
      functions: z.array(ToolFunction).min(1).readonly(),
      choice: z.enum(['auto', 'required']),
    })
    .exactOptional(),
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
    /** The process that has the file of the model, for a worker without it. */
    modelLender: z.string().exactOptional(),
    adapter: z
      .strictObject({
        sha256: Sha256,
        scale,
        /** The process that has the file, for a worker without it. */
        lender: z.string(),
      })
      .exactOptional(),
  }),
  /** Absolute paths of GGUF files, where the process that asks runs the model itself. */
  Asked.extend({
    modelFile: z.string(),
    adapter: z.strictObject({ file: z.string(), scale }).exactOptional(),
  }),
]);
export type TextTask = z.infer<typeof TextTask>;

/** Whether the pieces of a task name their choice; the pieces of other tasks are tuples. */
export const isRich = ({
  choices = 1,
  tools,
  topLogprobs,
}: Pick<z.infer<typeof Asked>, 'choices' | 'tools' | 'topLogprobs'>): boolean =>
  choices > 1 || tools !== undefined || topLogprobs !== undefined;

const FinishReason = z.enum(['stop', 'length', 'tool_calls']);

const TokenLogprob = z.strictObject({
  token: z.string(),
  /** Natural logarithm. */
  logprob: z.number(),
  bytes: z.array(z.int()).readonly().nullable(),
});

/** A piece of one choice, where there are several, or tools, or ratings. */
const RichPiece = z.strictObject({
  choice: z.int(),
  /** Of the answer, or of the JSON of a call's arguments. */
  text: z.string(),
  /** Of all choices, up to here. */
  completionTokens: z.int(),
  promptTokens: z.int(),
  call: z.strictObject({ name: z.string().exactOptional() }).exactOptional(),
  logprobs: z
    .array(TokenLogprob.extend({ top: z.array(TokenLogprob).readonly() }))
    .readonly()
    .exactOptional(),
  finishReason: FinishReason.exactOptional(),
});

/**
 * A piece of text as the engine made it, with the tokens generated up to its end. The first piece
 * adds the tokens of the prompt. A tuple, because a small model makes a piece every millisecond.
 */
export const TextPiece = z.union([
  z.tuple([z.string(), z.int()]),
  z.tuple([z.string(), z.int(), z.int()]),
  RichPiece,
]);
export type TextPiece = z.infer<typeof TextPiece>;

/** How a generation ended; counted by the engine's own tokenizer. */
export const TextEnd = z.strictObject({
  promptTokens: z.int(),
  completionTokens: z.int(),
  /** Of the first choice. */
  finishReason: FinishReason,
  /**
   * Measured: the time to load the adapter and to put it on the weights. Null where it was in
   * place; absent for a task without one.
   */
  adapterSwapMs: z.number().nonnegative().nullable().exactOptional(),
});
export type TextEnd = z.infer<typeof TextEnd>;
