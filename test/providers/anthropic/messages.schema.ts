import { z } from 'zod';

/** The request of Anthropic's Messages, as its reference documents it: every field is known. */

const CACHE_CONTROL = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();

const CITATIONS = z.strictObject({ enabled: z.boolean() }).nullish();

const TEXT = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1, 'text content blocks must be non-empty'),
  cache_control: CACHE_CONTROL,
  citations: z.array(z.looseObject({})).nullish(),
});

const BASE64_IMAGE = z.strictObject({
  type: z.literal('base64'),
  media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  data: z.base64(),
});
const URL_SOURCE = z.strictObject({ type: z.literal('url'), url: z.url() });
const FILE_SOURCE = z.strictObject({ type: z.literal('file'), file_id: z.string() });

const IMAGE = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [BASE64_IMAGE, URL_SOURCE, FILE_SOURCE]),
  cache_control: CACHE_CONTROL,
});

const DOCUMENT = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: z.base64(),
    }),
    z.strictObject({
      type: z.literal('text'),
      media_type: z.literal('text/plain'),
      data: z.string().min(1),
    }),
    URL_SOURCE,
    FILE_SOURCE,
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: CITATIONS,
  cache_control: CACHE_CONTROL,
});

const TOOL_ID = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'");

const TOOL_RESULT = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: TOOL_ID,
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [TEXT, IMAGE, DOCUMENT]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: CACHE_CONTROL,
});

const TOOL_USE = z.strictObject({
  type: z.literal('tool_use'),
  id: TOOL_ID,
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: CACHE_CONTROL,
});

const THINKING = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});

const REDACTED = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });

const MESSAGE = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      z.string().min(1, 'user messages must have non-empty content'),
      z.array(z.discriminatedUnion('type', [TEXT, IMAGE, DOCUMENT, TOOL_RESULT])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([
      z.string().min(1),
      z.array(z.discriminatedUnion('type', [TEXT, THINKING, REDACTED, TOOL_USE])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal('system'),
    content: z.union([z.string().min(1), z.array(TEXT).min(1)]),
  }),
]);

const CUSTOM_TOOL = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  cache_control: CACHE_CONTROL,
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
});

const WEB_SEARCH = z.strictObject({
  type: z.literal('web_search_20250305'),
  name: z.literal('web_search'),
  max_uses: z.int().min(1).nullish(),
  cache_control: CACHE_CONTROL,
});

const PARALLEL = { disable_parallel_tool_use: z.boolean().optional() };

const THINKING_CONFIG = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1_024, 'Input should be greater than or equal to 1024'),
    display: z.enum(['summarized', 'omitted']).nullish(),
  }),
  z.strictObject({
    type: z.literal('adaptive'),
    display: z.enum(['summarized', 'omitted']).nullish(),
  }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const COUNTED = {
  model: z.string().min(1),
  messages: z.array(MESSAGE).min(1).max(100_000),
  system: z.union([z.string(), z.array(TEXT)]).optional(),
  tools: z.array(z.union([WEB_SEARCH, CUSTOM_TOOL])).optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), ...PARALLEL }),
      z.strictObject({ type: z.literal('any'), ...PARALLEL }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...PARALLEL }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: THINKING_CONFIG.optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z
        .strictObject({
          type: z.literal('json_schema'),
          schema: z.record(z.string(), z.unknown()),
        })
        .nullish(),
    })
    .optional(),
  cache_control: CACHE_CONTROL,
};

/** Of both versions. */
export const MESSAGES_REQUEST = z.strictObject({
  ...COUNTED,
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  stop_sequences: z
    .array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace'))
    .optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().nullish(),
  /** Only the version 2023-06-01 has these. */
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  /** Only with the header `anthropic-beta: context-management-2025-06-27`. */
  context_management: z
    .strictObject({ edits: z.array(z.looseObject({ type: z.string() })) })
    .optional(),
});
export type MessagesRequest = z.infer<typeof MESSAGES_REQUEST>;

export const COUNT_REQUEST = z.strictObject(COUNTED);
