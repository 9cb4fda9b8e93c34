import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import {
  always,
  fieldsBeside,
  HONOURED_BY_ALL,
  type HonouredFields,
} from '#platform/chats/honoured-fields.js';
import { CHOICES_MAX, TOP_LOGPROBS_MAX } from '../text/text-task.js';
import { type JsonObject } from './chat-backend.js';
import { messagesOf } from './embedded-messages.js';
import { rejection } from './field-rejection.js';
import { toolsOf } from './embedded-tools.js';
import { type TextRequest } from './text-request.js';
import { grammarSchemaOf } from './json-grammar.js';
import { isObject } from './token-usage.js';

export type { TextRequest } from './text-request.js';

/** A field that is not in this list is rejected by its name. */
const HONOURED: HonouredFields = {
  ...HONOURED_BY_ALL,
  n: always,
  logprobs: always,
  top_logprobs: always,
  tools: always,
  tool_choice: always,
  response_format: (value) =>
    isObject(value) && (value['type'] === 'text' || value['type'] === 'json_schema'),
};

/** The fields of a request that an embedded engine cannot honour. */
export const unsupportedFields = (body: JsonObject): readonly string[] =>
  fieldsBeside(HONOURED, body);

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
  const tools = toolsOf(rig, body);
  if (tools && jsonSchema) {
    throw rejection(rig, 'response_format', 'unsupported_value', 'it cannot be kept beside tools');
  }
  const choices = integerField(rig, body, 'n', 1, CHOICES_MAX) ?? 1;
  const topLogprobs = topLogprobsOf(rig, body);
  return {
    modelFile,
    messages: messagesOf(rig, body['messages']),
    maxTokens,
    temperature: field('temperature') ?? TEMPERATURE_DEFAULT,
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    ...(jsonSchema && { jsonSchema }),
    ...(choices > 1 && { choices }),
    ...(tools && { tools }),
    ...(topLogprobs !== undefined && { topLogprobs }),
  };
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

const integerField = (
  rig: string,
  body: JsonObject,
  name: string,
  min: number,
  max: number,
): number | undefined => {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw rejection(rig, name, 'invalid_value', `it must be an integer of ${min} to ${max}`);
};

/** How many of the likeliest tokens are rated beside each token; undefined rates none. */
const topLogprobsOf = (rig: string, body: JsonObject): number | undefined => {
  const top = integerField(rig, body, 'top_logprobs', 0, TOP_LOGPROBS_MAX);
  const { logprobs = null } = body;
  if (logprobs === true) return top ?? 0;
  if (logprobs !== null && logprobs !== false) {
    throw rejection(rig, 'logprobs', 'invalid_type', 'it must be true or false');
  }
  if (top === undefined || top === 0) return undefined;
  throw rejection(rig, 'top_logprobs', 'invalid_value', 'it needs logprobs to be true');
};
