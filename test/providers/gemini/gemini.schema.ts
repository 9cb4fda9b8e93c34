/**
 * The bodies of `generateContent` and `countTokens`, as the API's published types describe them.
 * The real API reads JSON into protocol buffers: a field that it does not know is an error.
 */
import { z } from 'zod';

const Base64 = z.base64();
const JsonValue = z.record(z.string(), z.unknown());

const FunctionCall = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1),
  args: JsonValue.optional(),
});

const FunctionResponse = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1),
  response: JsonValue,
});

const Part = z.strictObject({
  text: z.string().optional(),
  inlineData: z.strictObject({ mimeType: z.string().min(1), data: Base64 }).optional(),
  fileData: z
    .strictObject({ mimeType: z.string().optional(), fileUri: z.string().min(1) })
    .optional(),
  functionCall: FunctionCall.optional(),
  functionResponse: FunctionResponse.optional(),
  thought: z.boolean().optional(),
  // Bytes: base64 in either alphabet.
  thoughtSignature: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]+={0,2}$/)
    .optional(),
});
export type Part = z.infer<typeof Part>;

const Content = z.strictObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(Part),
});
export type Content = z.infer<typeof Content>;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const Int64 = z.union([z.int(), z.string().regex(/^\d+$/)]);

/** The subset of OpenAPI that `parameters` and `responseSchema` know. */
const Schema: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.enum([...TYPES, ...TYPES.map((type) => type.toUpperCase())]).optional(),
    format: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).optional(),
    items: Schema.optional(),
    minItems: Int64.optional(),
    maxItems: Int64.optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    propertyOrdering: z.array(z.string()).optional(),
    minProperties: Int64.optional(),
    maxProperties: Int64.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: Int64.optional(),
    maxLength: Int64.optional(),
    pattern: z.string().optional(),
    anyOf: z.array(Schema).optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
  }),
);

const FunctionDeclaration = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/),
  description: z.string().optional(),
  parameters: Schema.optional(),
  parametersJsonSchema: z.unknown().optional(),
});

const Tool = z.strictObject({
  functionDeclarations: z.array(FunctionDeclaration).optional(),
  googleSearch: z.strictObject({}).optional(),
  codeExecution: z.strictObject({}).optional(),
  urlContext: z.strictObject({}).optional(),
});

const ToolConfig = z.strictObject({
  functionCallingConfig: z
    .strictObject({
      mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
      allowedFunctionNames: z.array(z.string()).optional(),
    })
    .optional(),
});

const GenerationConfig = z.strictObject({
  stopSequences: z.array(z.string()).max(5).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: Schema.optional(),
  responseJsonSchema: z.unknown().optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).optional(),
  seed: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .optional(),
  presencePenalty: z.number().min(-2).lt(2).optional(),
  frequencyPenalty: z.number().min(-2).lt(2).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
    })
    .optional(),
});

const SafetySetting = z.strictObject({
  category: z.string().startsWith('HARM_CATEGORY_'),
  threshold: z.enum(['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'OFF']),
});

const fields = {
  contents: z.array(Content),
  systemInstruction: z
    .strictObject({ role: z.string().optional(), parts: z.array(Part).min(1) })
    .optional(),
  tools: z.array(Tool).optional(),
  toolConfig: ToolConfig.optional(),
  safetySettings: z.array(SafetySetting).optional(),
  generationConfig: GenerationConfig.optional(),
  cachedContent: z.string().optional(),
};

/** The Gemini API takes a service tier, Vertex takes labels. */
export const GEMINI_REQUEST = z.strictObject({
  ...fields,
  serviceTier: z.enum(['standard', 'flex', 'priority']).optional(),
});
export const VERTEX_REQUEST = z.strictObject({
  ...fields,
  labels: z.record(z.string(), z.string()).optional(),
});
export type GenerateRequest = z.infer<typeof GEMINI_REQUEST>;

/** The Gemini API counts a whole request under a name of its own, Vertex its fields. */
export const GEMINI_COUNT = z.strictObject({
  contents: z.array(Content).optional(),
  generateContentRequest: GEMINI_REQUEST.extend({ model: z.string() }).optional(),
});
export const VERTEX_COUNT = z.strictObject({
  contents: z.array(Content),
  systemInstruction: fields.systemInstruction,
  tools: fields.tools,
  generationConfig: fields.generationConfig,
  model: z.string().optional(),
});
