import { z } from 'zod';

/** The request of OpenAI's chat completions, as its reference documents it: every field is known. */

const CACHE = { prompt_cache_breakpoint: z.looseObject({}).nullish() };

const TEXT = z.strictObject({ type: z.literal('text'), text: z.string(), ...CACHE });

const IMAGE = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:|data:image\/)/),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
});

const FILE = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    filename: z.string().optional(),
    file_data: z.string().optional(),
    file_id: z.string().optional(),
  }),
});

const CALL = z.strictObject({
  id: z.string().max(40),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const TEXTS = z.union([z.string(), z.array(TEXT).min(1)]);
const NAME = { name: z.string().optional() };

const MESSAGE = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: TEXTS, ...NAME }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [TEXT, IMAGE, FILE])).min(1),
    ]),
    ...NAME,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: TEXTS.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(CALL).min(1).optional(),
    annotations: z.array(z.looseObject({})).optional(),
    ...NAME,
  }),
  z.strictObject({ role: z.literal('tool'), content: TEXTS, tool_call_id: z.string() }),
]);

const FUNCTION = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().nullish(),
});

export const CHAT_REQUEST = z.strictObject({
  model: z.string().optional(),
  messages: z.array(MESSAGE).min(1),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.int().nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'priority']).nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  tools: z.array(z.strictObject({ type: z.literal('function'), function: FUNCTION })).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({ name: z.string() }),
      }),
    ])
    .optional(),
  response_format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({ name: z.string() }),
      }),
    ])
    .optional(),
});
export type ChatRequest = z.infer<typeof CHAT_REQUEST>;

/** The request of OpenAI's responses, as far as agents send it. */
export const RESPONSES_REQUEST = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() }))]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .strictObject({ effort: z.string().nullish(), summary: z.string().nullish() })
    .nullish(),
  include: z.array(z.string()).nullish(),
  prompt_cache_key: z.string().optional(),
  prompt_cache_retention: z.string().nullish(),
  safety_identifier: z.string().optional(),
  text: z.looseObject({}).optional(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  service_tier: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  previous_response_id: z.string().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  background: z.boolean().nullish(),
  user: z.string().optional(),
});
export type ResponsesRequest = z.infer<typeof RESPONSES_REQUEST>;

export const EMBEDDINGS_REQUEST = z.strictObject({
  model: z.string().optional(),
  input: z.union([z.string().min(1), z.array(z.union([z.string(), z.array(z.int())])).min(1)]),
  dimensions: z.int().min(1).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  user: z.string().optional(),
});
