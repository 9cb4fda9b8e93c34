/** The body of Converse and ConverseStream, as the service's API description has it. */
import { z } from 'zod';

const Document = z.record(z.string(), z.unknown());

/** Exactly one member. */
const unionOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .partial()
    .refine((value) => Object.keys(value).length === 1, { error: 'expected exactly one member' });

const CachePoint = z.strictObject({
  type: z.literal('default'),
  ttl: z.enum(['5m', '1h']).optional(),
});

const IMAGE_BYTES_MAX = 3_932_160;

const Image = z.strictObject({
  format: z.enum(['png', 'jpeg', 'gif', 'webp']),
  source: unionOf({
    bytes: z.base64().refine((data) => Buffer.from(data, 'base64').length <= IMAGE_BYTES_MAX),
    s3Location: z.strictObject({ uri: z.string(), bucketOwner: z.string().optional() }),
  }),
});

const ToolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/)
  .max(64);
const ToolUseId = z
  .string()
  .regex(/^[a-zA-Z0-9_.:-]+$/)
  .max(64);

const ToolUse = z.strictObject({ toolUseId: ToolUseId, name: ToolName, input: Document });

const ToolResult = z.strictObject({
  toolUseId: ToolUseId,
  content: z.array(unionOf({ text: z.string(), json: Document, image: Image })),
  status: z.enum(['success', 'error']).optional(),
});

const Reasoning = unionOf({
  reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }),
  redactedContent: z.base64(),
});

export const ContentBlock = unionOf({
  text: z.string(),
  image: Image,
  toolUse: ToolUse,
  toolResult: ToolResult,
  cachePoint: CachePoint,
  reasoningContent: Reasoning,
});
export type ContentBlock = z.infer<typeof ContentBlock>;

const Message = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(ContentBlock),
});
export type Message = z.infer<typeof Message>;

const Tool = unionOf({
  toolSpec: z.strictObject({
    name: ToolName,
    description: z.string().min(1).optional(),
    inputSchema: z.strictObject({ json: Document }),
    strict: z.boolean().optional(),
  }),
  cachePoint: CachePoint,
});

export const CONVERSE = z.strictObject({
  messages: z.array(Message),
  system: z.array(unionOf({ text: z.string().min(1), cachePoint: CachePoint })).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(Tool).min(1),
      toolChoice: unionOf({
        auto: z.strictObject({}),
        any: z.strictObject({}),
        tool: z.strictObject({ name: ToolName }),
      }).optional(),
    })
    .optional(),
  additionalModelRequestFields: Document.optional(),
  additionalModelResponseFieldPaths: z.array(z.string()).max(10).optional(),
  requestMetadata: z.record(z.string().max(256), z.string().max(256)).optional(),
  performanceConfig: z.strictObject({ latency: z.enum(['standard', 'optimized']) }).optional(),
  serviceTier: z
    .strictObject({ type: z.enum(['default', 'flex', 'priority', 'reserved']) })
    .optional(),
  outputConfig: z
    .strictObject({
      textFormat: z
        .strictObject({
          type: z.literal('json_schema'),
          structure: unionOf({
            jsonSchema: z.strictObject({
              schema: z.string(),
              name: z.string().optional(),
              description: z.string().optional(),
            }),
          }),
        })
        .optional(),
      effort: z.string().optional(),
    })
    .optional(),
});
export type ConverseRequest = z.infer<typeof CONVERSE>;

export const COUNT_TOKENS = z.strictObject({
  input: unionOf({
    converse: CONVERSE.pick({
      messages: true,
      system: true,
      toolConfig: true,
      additionalModelRequestFields: true,
    }),
  }),
});
