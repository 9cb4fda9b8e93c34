import { always } from '#platform/chats/honoured-fields.js';
import { type JsonObject } from '../../chat-backend.js';
import { rejectedField } from '../../field-rejection.js';
import { isObject } from '../../token-usage.js';
import {
  checkFields,
  type FunctionTool,
  functionsOf,
  limitOf,
  numberOf,
  outputFormatOf,
  present,
  reasoningWishOf,
  stopOf,
  tierAsked,
  type ToolChoice,
  toolChoiceOf,
} from '../chat/chat-fields.js';
import { conversationOf, type Media, type Part, type Result, type Turn } from '../chat/turns.js';

/** Converse has one answer, no seed and no penalties. */
const HONOURED = {
  n: (value: unknown) => value === 1,
  seed: () => false,
  top_k: always,
  thinking: always,
};

const TEMPERATURE_MAX = 1;
const STOPS_MAX = 2_500;
const TOOL_USE_ID = /^[\w.:-]{1,64}$/;
const IMAGES: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp']);
const DOCUMENTS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
};
/** A tool without parameters takes an empty object. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

const isClaude = (model: string): boolean => model.includes('anthropic.claude');

/** The body of Converse. @throws RigError `refused` that names what has no translation */
export const converseBody = (body: JsonObject): JsonObject => {
  checkFields(body, HONOURED);
  const model = String(body['model']);
  const { instructions, turns } = conversationOf(body['messages']);
  const tier = tierAsked(body);
  return present({
    messages: turns.map((turn) => messageOf(turn, model)),
    system: instructions.length === 0 ? undefined : instructions.flatMap(blocksOf),
    inferenceConfig: present({
      maxTokens: limitOf(body),
      temperature: temperatureOf(body),
      topP: body['top_p'] ?? undefined,
      stopSequences: stopOf(body, STOPS_MAX),
    }),
    toolConfig: toolConfigOf(functionsOf(body), toolChoiceOf(body), turns),
    outputConfig: outputConfigOf(body),
    additionalModelRequestFields: ownFieldsOf(body, model),
    serviceTier: tier === undefined ? undefined : { type: tier },
  });
};

/** With thinking, Claude takes no temperature: the default is not sent then. */
const temperatureOf = (body: JsonObject): number | undefined => {
  const temperature = numberOf(body, 'temperature', TEMPERATURE_MAX);
  const { type = 'disabled' } = thinkingOf(body) ?? {};
  return type === 'disabled' ? temperature : undefined;
};

/** The field of Claude's own interface, or a bound of tokens. */
const thinkingOf = (body: JsonObject): JsonObject | undefined => {
  const { thinking = null } = body;
  if (isObject(thinking)) return thinking;
  const tokensMax = reasoningWishOf(body)?.tokensMax;
  return tokensMax === undefined ? undefined : { type: 'enabled', budget_tokens: tokensMax };
};

/** The fields of Claude that Converse does not have. */
const ownFieldsOf = (body: JsonObject, model: string): JsonObject | undefined => {
  const { top_k: topK = null } = body;
  const thinking = thinkingOf(body);
  if (reasoningWishOf(body)?.isShown === false) {
    const why = 'this provider always shows what it thought';
    throw rejectedField('reasoning.exclude', 'unsupported_parameter', why);
  }
  if (topK === null && !thinking) return undefined;
  if (!isClaude(model)) {
    const field = topK === null ? 'thinking' : 'top_k';
    throw rejectedField(field, 'unsupported_parameter', `${model} has no such field`);
  }
  return {
    ...(topK !== null && { top_k: topK }),
    ...(thinking && { thinking }),
  };
};

const outputConfigOf = (body: JsonObject): JsonObject | undefined => {
  const format = outputFormatOf(body);
  const effort = reasoningWishOf(body)?.effort;
  if (format.type === 'json_object') {
    throw rejectedField('response_format', 'unsupported_value', 'expected text or json_schema');
  }
  if (format.type === 'text' && (effort === undefined || effort === 'none')) return undefined;
  return present({
    effort: effort === undefined ? undefined : effortOf(effort),
    textFormat: format.type === 'text' ? undefined : textFormatOf(format),
  });
};

/** The efforts of Converse; OpenAI's smallest is its smallest. */
const EFFORTS: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

const effortOf = (effort: string): string | undefined => {
  if (Object.hasOwn(EFFORTS, effort)) return EFFORTS[effort];
  const why = `expected one of ${Object.keys(EFFORTS).join(', ')}`;
  throw rejectedField('reasoning_effort', 'unsupported_value', why);
};

const textFormatOf = (format: JsonObject): JsonObject => {
  const { schema, name, description } = format;
  const jsonSchema = present({ schema: JSON.stringify(schema), name, description });
  return { type: 'json_schema', structure: { jsonSchema } };
};

/** Converse wants the tools of a conversation with every request, and has no choice of none. */
const toolConfigOf = (
  functions: readonly FunctionTool[],
  choice: ToolChoice | undefined,
  turns: readonly Turn[],
): JsonObject | undefined => {
  const isUsed = turns.some(({ parts }) => parts.some(isOfTool));
  if (functions.length === 0 && isUsed) {
    throw rejectedField('tools', 'invalid_value', 'expected the tools that the messages call');
  }
  if (choice?.mode === 'none' && isUsed) {
    const why = 'this provider cannot forbid tools that the messages call';
    throw rejectedField('tool_choice', 'unsupported_value', why);
  }
  if (functions.length === 0 || choice?.mode === 'none') return undefined;
  return present({ tools: functions.flatMap(toolsOf), toolChoice: choiceOf(choice) });
};

const isOfTool = ({ type }: Part): boolean => type === 'call' || type === 'result';

const toolsOf = (tool: FunctionTool): readonly JsonObject[] => [
  toolOf(tool),
  ...cachePointOf(tool.cache),
];

const toolOf = ({ name, description, schema, isStrict }: FunctionTool): JsonObject => ({
  toolSpec: present({
    name,
    description,
    inputSchema: { json: schema ?? NO_PARAMETERS },
    strict: isStrict ? true : undefined,
  }),
});

const choiceOf = (choice: ToolChoice | undefined): JsonObject | undefined => {
  switch (choice?.mode) {
    case undefined:
    case 'none':
      return undefined;
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'named':
      return { tool: { name: choice.name } };
  }
};

const messageOf = ({ role, parts, thoughts }: Turn, model: string): JsonObject => ({
  role,
  content: [
    ...(isClaude(model) ? thoughts.flatMap(thoughtOf) : []),
    // An empty text carries the signature of another provider.
    ...parts.filter((part) => part.type !== 'text' || part.text.trim() !== '').flatMap(blocksOf),
  ],
});

/** A thought of Claude as it was; one without a signature is not sent back. */
const thoughtOf = ({ type, thinking, signature, data }: JsonObject): readonly JsonObject[] => {
  if (type === 'redacted_thinking' && typeof data === 'string') {
    return [{ reasoningContent: { redactedContent: data } }];
  }
  if (type !== 'thinking' || typeof thinking !== 'string' || typeof signature !== 'string') {
    return [];
  }
  return [{ reasoningContent: { reasoningText: { text: thinking, signature } } }];
};

/** A block, and the mark up to which the prompt is to be cached. */
const blocksOf = (part: Part): readonly JsonObject[] => [
  blockOf(part),
  ...('cache' in part ? cachePointOf(part.cache) : []),
];

const LIVES: ReadonlySet<unknown> = new Set(['5m', '1h']);

/** `cache_control` of Anthropic; a life that Converse does not have is its default. */
const cachePointOf = (cache: JsonObject | undefined): readonly JsonObject[] =>
  cache === undefined
    ? []
    : [{ cachePoint: { type: 'default', ...(LIVES.has(cache['ttl']) && { ttl: cache['ttl'] }) } }];

const blockOf = (part: Part): JsonObject => {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'media':
      return mediaBlockOf(part);
    case 'call': {
      const { id: toolUseId, name, input, at } = part;
      if (TOOL_USE_ID.test(toolUseId)) return { toolUse: { toolUseId, name, input } };
      const why = 'expected at most 64 letters, digits, or _ . : -';
      throw rejectedField(`${at}.id`, 'unsupported_value', why);
    }
    case 'result':
      return { toolResult: { toolUseId: part.id, content: resultBlocks(part) } };
  }
};

const resultBlocks = ({ parts }: Result): readonly JsonObject[] =>
  parts.length === 0
    ? [{ text: '' }]
    : parts.map((part) => (part.type === 'text' ? { text: part.text } : mediaBlockOf(part)));

const mediaBlockOf = ({ mimeType, data, at }: Media): JsonObject => {
  const format = mimeType.replace(/^image\//, '').replace('jpg', 'jpeg');
  if (IMAGES.has(format)) return { image: { format, source: { bytes: data } } };
  const document = DOCUMENTS[mimeType];
  if (document !== undefined) {
    return { document: { format: document, name: 'document', source: { bytes: data } } };
  }
  const known = [...IMAGES].map((name) => `image/${name}`).concat(Object.keys(DOCUMENTS));
  throw rejectedField(at, 'unsupported_value', `expected one of ${known.join(', ')}`);
};
