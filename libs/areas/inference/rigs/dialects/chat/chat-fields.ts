import {
  always,
  fieldsBeside,
  HONOURED_BY_ALL,
  type HonouredFields,
} from '#platform/chats/honoured-fields.js';
import { type JsonObject } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { rejectedField } from '../../field-rejection.js';

/** The fields that every translated dialect reads or can ignore. */
const TRANSLATED: HonouredFields = {
  ...HONOURED_BY_ALL,
  tools: always,
  tool_choice: always,
  response_format: always,
  reasoning_effort: always,
  reasoning: always,
  service_tier: always,
  n: always,
  // Serial calls are a limit that a caller relies on.
  parallel_tool_calls: (value) => value === true,
  // Set by Quipu's own interfaces where a caller sets none.
  logprobs: (value) => value === false,
};

/** @throws RigError `refused` that names the first field without a translation */
export const checkFields = (body: JsonObject, honoured: HonouredFields): void => {
  const [field] = fieldsBeside({ ...TRANSLATED, ...honoured }, body);
  if (field === undefined) return;
  throw rejectedField(field, 'unsupported_parameter', 'this provider has no such field');
};

/** The smaller of the two limits of a chat. */
export const limitOf = (body: JsonObject): number | undefined => {
  const limits = [body['max_completion_tokens'], body['max_tokens']].filter(
    (limit): limit is number => typeof limit === 'number',
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
};

/** @throws RigError `refused` for a number above the range of the provider */
export const numberOf = (body: JsonObject, field: string, most: number): number | undefined => {
  const { [field]: value = null } = body;
  if (value === null) return undefined;
  if (typeof value === 'number' && value <= most) return value;
  const received = JSON.stringify(value);
  const why = `expected a number of at most ${most}, received ${received}`;
  throw rejectedField(field, 'unsupported_value', why);
};

/** @throws RigError `refused` for more sequences than the provider takes */
export const stopOf = ({ stop }: JsonObject, most: number): readonly string[] | undefined => {
  if (stop === undefined || stop === null) return undefined;
  const list = (Array.isArray(stop) ? stop : [stop]) as readonly string[];
  if (list.length <= most) return list;
  throw rejectedField('stop', 'unsupported_value', `expected at most ${most} sequences`);
};

const NO_FIELDS: JsonObject = {};

export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  readonly schema?: JsonObject;
  readonly isStrict: boolean;
  /** Its `cache_control`. */
  readonly cache?: JsonObject;
}

/** @throws RigError `refused` that names a tool which is no function */
export const functionsOf = ({ tools }: JsonObject): readonly FunctionTool[] => {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.map((tool, n) => {
    const { type, function: declared, cache_control: cache } = isObject(tool) ? tool : NO_FIELDS;
    if (type !== 'function' || !isObject(declared) || typeof declared['name'] !== 'string') {
      throw rejectedField(`tools[${n}].type`, 'unsupported_value', 'expected a function');
    }
    const { name, description, parameters, strict } = declared;
    return {
      name,
      ...(typeof description === 'string' && description !== '' && { description }),
      ...(isObject(parameters) && { schema: parameters }),
      isStrict: strict === true,
      ...(isObject(cache) && { cache }),
    };
  });
};

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'named'; readonly name: string };

/** @throws RigError `refused` for a choice that is neither a mode nor a function */
export const toolChoiceOf = ({ tool_choice: choice }: JsonObject): ToolChoice | undefined => {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  const called = isObject(choice) && isObject(choice['function']) ? choice['function'] : {};
  if (typeof called['name'] === 'string') return { mode: 'named', name: called['name'] };
  const why = 'expected auto, none, required or a function';
  throw rejectedField('tool_choice', 'unsupported_value', why);
};

export type OutputFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
    };

/** @throws RigError `refused` for a format of another type, or without its schema */
export const outputFormatOf = ({ response_format: format }: JsonObject): OutputFormat => {
  if (format === undefined || format === null) return { type: 'text' };
  const { type, json_schema: declared } = isObject(format) ? format : ({} as JsonObject);
  if (type === 'text' || type === 'json_object') return { type };
  if (type !== 'json_schema' || !isObject(declared) || !isObject(declared['schema'])) {
    const why = 'expected text, json_object or json_schema with a schema';
    throw rejectedField('response_format', 'unsupported_value', why);
  }
  const { schema, name, description } = declared;
  return {
    type,
    schema,
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
  };
};

/** How much a model thinks, and whether the caller sees it. */
export interface ReasoningWish {
  readonly effort?: string;
  readonly tokensMax?: number;
  readonly isShown: boolean;
}

const REASONING_FIELDS: readonly string[] = ['effort', 'max_tokens', 'exclude'];

/**
 * `reasoning_effort`, or OpenRouter's object `reasoning`; undefined for neither.
 * @throws RigError `refused` that names a field of the object without a meaning
 */
export const reasoningWishOf = (body: JsonObject): ReasoningWish | undefined => {
  const { reasoning_effort: short = null, reasoning = null } = body;
  if (short === null && reasoning === null) return undefined;
  const wish: JsonObject = isObject(reasoning) ? reasoning : {};
  const unknown = Object.keys(wish).find((field) => !REASONING_FIELDS.includes(field));
  if (unknown !== undefined) {
    const why = `expected ${REASONING_FIELDS.join(', ')}`;
    throw rejectedField(`reasoning.${unknown}`, 'unsupported_parameter', why);
  }
  const { effort = short, max_tokens: tokensMax, exclude } = wish;
  return {
    ...(typeof effort === 'string' && { effort }),
    ...(typeof tokensMax === 'number' && { tokensMax }),
    isShown: exclude !== true,
  };
};

/** The service tier that is asked for; undefined for the standard one. */
export const tierAsked = ({ service_tier: tier }: JsonObject): string | undefined =>
  typeof tier === 'string' && !['auto', 'default', 'standard'].includes(tier) ? tier : undefined;

/** The fields with a value. */
export const present = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
