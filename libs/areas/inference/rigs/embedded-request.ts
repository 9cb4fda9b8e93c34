import { type JsonObject, RigError, TEMPERATURE_DEFAULT } from './chat-backend.js';
import { grammarSchemaOf } from './json-grammar.js';
import { isObject } from './token-usage.js';

/** One turn of a conversation, as a language model's chat template takes it. */
export interface TextMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A low-rank adapter (LoRA) in the GGUF format. */
export interface TextAdapter {
  /** Absolute path. */
  readonly file: string;
  /** 1 is the strength that it was trained for; -8 to 8. */
  readonly scale: number;
}

/** A request to an engine in this process. */
export interface TextRequest {
  /** Absolute path of the GGUF file. */
  readonly modelFile: string;
  readonly messages: readonly TextMessage[];
  readonly maxTokens: number;
  /** 0 to 2; 0 is greedy. */
  readonly temperature: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** The answer is JSON of this shape. */
  readonly jsonSchema?: JsonObject;
  /** A line of a batch waits behind interactive requests; default: interactive. */
  readonly priority?: 'batch';
  /** Changes the weights of the model for this request. */
  readonly adapter?: TextAdapter;
}

const always = (): boolean => true;
const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
const equals =
  (...allowed: readonly unknown[]) =>
  (value: unknown): boolean =>
    allowed.includes(value);

/**
 * The fields that an embedded engine honours, or can ignore without changing the answer, each with
 * the values for which that is true. A field that is not in this list is rejected by its name.
 */
const HONOURED: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: always,
  messages: always,
  max_tokens: always,
  max_completion_tokens: always,
  temperature: always,
  top_p: always,
  stop: always,
  seed: always,
  stream: always,
  stream_options: always,
  // The caller's own labels, and hints that do not change the answer.
  user: always,
  metadata: always,
  safety_identifier: always,
  prompt_cache_key: always,
  prompt_cache_retention: always,
  prediction: always,
  parallel_tool_calls: always,
  service_tier: equals('auto', 'default'),
  // Values that turn a feature off, as clients send them by default.
  store: equals(false),
  n: equals(1),
  logprobs: equals(false),
  top_logprobs: equals(0),
  presence_penalty: equals(0),
  frequency_penalty: equals(0),
  logit_bias: isEmpty,
  tools: isEmpty,
  functions: isEmpty,
  tool_choice: equals('none', 'auto'),
  function_call: equals('none', 'auto'),
  response_format: (value) =>
    isObject(value) && (value['type'] === 'text' || value['type'] === 'json_schema'),
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
};

/** Fields of a message that change its meaning; a template without them would drop them. */
const UNHEARD_FIELDS = ['tool_calls', 'function_call', 'audio'];

/** The fields of a request that an embedded engine cannot honour; `null` is as good as absent. */
export const unsupportedFields = (body: JsonObject): readonly string[] =>
  Object.keys(body).filter((field) => {
    const value = body[field];
    if (value === undefined || value === null) return false;
    const honoured = Object.hasOwn(HONOURED, field) ? HONOURED[field] : undefined;
    return !honoured?.(value);
  });

/** @throws RigError refused, with the OpenAI error object that names the field */
export const textRequestOf = (rig: string, modelFile: string, body: JsonObject): TextRequest => {
  const [unsupported] = unsupportedFields(body);
  if (unsupported !== undefined) {
    throw rejection(rig, unsupported, 'unsupported_parameter', 'this model cannot honour it');
  }
  const field = numberField(rig, body);
  const maxTokens = field('max_completion_tokens') ?? field('max_tokens');
  if (maxTokens === undefined || !Number.isInteger(maxTokens) || maxTokens < 1) {
    throw rejection(rig, 'max_tokens', 'invalid_value', 'it must be an integer of at least 1');
  }
  const topP = field('top_p');
  const seed = field('seed');
  const stop = stopOf(rig, body['stop']);
  const jsonSchema = jsonSchemaOf(rig, body['response_format']);
  return {
    modelFile,
    messages: messagesOf(rig, body['messages']),
    maxTokens,
    temperature: field('temperature') ?? TEMPERATURE_DEFAULT,
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    ...(jsonSchema && { jsonSchema }),
  };
};

const rejection = (rig: string, param: string, code: string, why: string): RigError => {
  const message = `'${param}' is refused: ${why}`;
  return new RigError('refused', `rig ${rig}: ${message}`, {
    status: 400,
    upstreamError: { message, type: 'invalid_request_error', param, code },
  });
};

const SCHEMA_FIELD = 'response_format.json_schema.schema';

/** Only a schema that a grammar can hold the answer to: anything else would be a false promise. */
const jsonSchemaOf = (rig: string, format: unknown): JsonObject | undefined => {
  if (!isObject(format) || format['type'] !== 'json_schema') return undefined;
  const { json_schema: named } = format;
  const schema = isObject(named) ? named['schema'] : undefined;
  if (!isObject(schema)) {
    throw rejection(rig, SCHEMA_FIELD, 'invalid_type', 'it must be a JSON Schema');
  }
  const read = grammarSchemaOf(schema);
  if ('schema' in read) return read.schema;
  throw rejection(rig, SCHEMA_FIELD, 'unsupported_value', read.fault);
};

const numberField = (rig: string, body: JsonObject) => (name: string) => {
  const value = body[name] ?? undefined;
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw rejection(rig, name, 'invalid_type', 'it must be a number');
};

const stopOf = (rig: string, stop: unknown): readonly string[] => {
  if (stop === undefined || stop === null) return [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  const texts = list.filter((text) => typeof text === 'string' && text.length > 0);
  if (texts.length === list.length) return texts as string[];
  throw rejection(rig, 'stop', 'invalid_type', 'it must be a text or a list of texts, none empty');
};

const messagesOf = (rig: string, messages: unknown): TextMessage[] => {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw rejection(rig, 'messages', 'invalid_type', 'it must be a list of at least one message');
  }
  return messages.map((message: unknown, index) => messageOf(rig, message, index));
};

const messageOf = (rig: string, message: unknown, index: number): TextMessage => {
  const { role = null, content = null } = isObject(message) ? message : {};
  const known = roleOf(role);
  if (!known) {
    const why = 'this model knows system, developer, user and assistant';
    throw rejection(rig, `messages[${index}].role`, 'unsupported_value', why);
  }
  const unheard = isObject(message) && UNHEARD_FIELDS.find((field) => message[field] != null);
  if (unheard) {
    const why = 'this model calls no tools and hears no audio';
    throw rejection(rig, `messages[${index}].${unheard}`, 'unsupported_parameter', why);
  }
  const text = textOf(content);
  if (text !== null) return { role: known, content: text };
  const why = 'this model reads text only';
  throw rejection(rig, `messages[${index}].content`, 'unsupported_value', why);
};

const roleOf = (role: unknown): TextMessage['role'] | null => {
  if (role === 'system' || role === 'user' || role === 'assistant') return role;
  return role === 'developer' ? 'system' : null;
};

/** Null for anything that contains a part other than text. */
const textOf = (content: unknown): string | null => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string'
      ? part['text']
      : null,
  );
  return texts.includes(null) ? null : texts.join('\n');
};
