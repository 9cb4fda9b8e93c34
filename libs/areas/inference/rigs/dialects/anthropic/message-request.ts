import { type JsonObject } from '../../chat-backend.js';
import { rejection } from '../../field-rejection.js';
import { isObject } from '../../token-usage.js';
import { turnsOf } from './message-turns.js';

/** Fields of a chat that a message has, too, or that ask for nothing there. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'thinking',
  'user',
  'safety_identifier',
  'service_tier',
  'cache_control',
  // Hints to a cache that Anthropic does not have.
  'prompt_cache_key',
  'prompt_cache_retention',
]);

/** Values that change nothing: every answer of Anthropic is like this. */
const IDLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => isObject(value) && Object.keys(value).length === 0,
  store: (value) => value === false,
  modalities: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
};

/**
 * The body of Anthropic's Messages for a chat.
 * @throws RigError `refused` that names a field which Anthropic has no like of
 */
export const messageRequestOf = (rig: string, chat: JsonObject): JsonObject => {
  rejectUnknown(rig, chat);
  const { system, messages } = turnsOf(rig, chat['messages']);
  const tools = toolsOf(rig, chat['tools']);
  return present({
    model: chat['model'],
    max_tokens: chat['max_completion_tokens'] ?? chat['max_tokens'],
    system,
    messages,
    stop_sequences: typeof chat['stop'] === 'string' ? [chat['stop']] : chat['stop'],
    temperature: temperatureOf(rig, chat),
    top_p: chat['top_p'],
    top_k: chat['top_k'],
    tools,
    tool_choice: toolChoiceOf(rig, chat, tools !== undefined),
    output_config: outputOf(rig, chat),
    thinking: chat['reasoning_effort'] === 'none' ? { type: 'disabled' } : chat['thinking'],
    metadata: userOf(chat),
    service_tier: chat['service_tier'] === 'default' ? 'standard_only' : chat['service_tier'],
    cache_control: chat['cache_control'],
  });
};

const present = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );

const rejectUnknown = (rig: string, chat: JsonObject): void => {
  for (const [field, value] of Object.entries(chat)) {
    if (value === null || value === undefined || READ.has(field)) continue;
    if (Object.hasOwn(IDLE, field) && IDLE[field]?.(value) === true) continue;
    throw rejection(rig, field, 'unsupported_parameter', 'Anthropic has no such field');
  }
};

/** Anthropic's temperatures end at 1. With thinking it takes none: the default is not sent then. */
const temperatureOf = (rig: string, { temperature, thinking }: JsonObject): unknown => {
  if (typeof temperature !== 'number') return undefined;
  if (temperature > 1) {
    throw rejection(rig, 'temperature', 'unsupported_value', 'it must be at most 1');
  }
  return isObject(thinking) && thinking['type'] !== 'disabled' ? undefined : temperature;
};

const userOf = ({ user, safety_identifier: identifier }: JsonObject): JsonObject | undefined => {
  const id = identifier ?? user;
  return typeof id === 'string' ? { user_id: id } : undefined;
};

const EFFORTS: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

const outputOf = (rig: string, chat: JsonObject): JsonObject | undefined => {
  const { reasoning_effort: asked = null, response_format: format = null } = chat;
  if (asked !== null && !(typeof asked === 'string' && Object.hasOwn(EFFORTS, asked))) {
    const why = `it must be one of ${Object.keys(EFFORTS).join(', ')}`;
    throw rejection(rig, 'reasoning_effort', 'unsupported_value', why);
  }
  const effort = asked === null ? undefined : EFFORTS[asked];
  const schema = format === null ? undefined : schemaOf(rig, format);
  return effort === undefined && schema === undefined
    ? undefined
    : present({ effort, format: schema });
};

const schemaOf = (rig: string, format: unknown): JsonObject | undefined => {
  const { type, json_schema: named } = isObject(format) ? format : {};
  if (type === 'text') return undefined;
  if (type === 'json_schema' && isObject(named) && isObject(named['schema'])) {
    return { type: 'json_schema', schema: named['schema'] };
  }
  const why = 'Anthropic writes JSON by a schema only: json_schema with its schema';
  throw rejection(rig, 'response_format', 'unsupported_value', why);
};

const toolsOf = (rig: string, tools: unknown): readonly JsonObject[] | undefined => {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return tools.map((tool: unknown, n) => toolOf(rig, tool, `tools[${n}]`));
};

const toolOf = (rig: string, tool: unknown, at: string): JsonObject => {
  const { type, function: declared, cache_control: cached } = isObject(tool) ? tool : {};
  if (type !== 'function' || !isObject(declared)) {
    throw rejection(rig, `${at}.type`, 'unsupported_value', 'only functions are translated');
  }
  const { name, description, parameters, strict } = declared;
  return present({
    name,
    description,
    input_schema: parameters ?? { type: 'object', properties: {} },
    strict,
    cache_control: cached,
  });
};

const toolChoiceOf = (rig: string, chat: JsonObject, hasTools: boolean): JsonObject | undefined => {
  const { tool_choice: asked = null, parallel_tool_calls: isParallel } = chat;
  if (!hasTools) return undefined;
  const choice = asked === null ? null : choiceOf(rig, asked);
  if (isParallel !== false || choice?.['type'] === 'none') return choice ?? undefined;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
};

const choiceOf = (rig: string, asked: unknown): JsonObject => {
  if (asked === 'auto' || asked === 'none') return { type: asked };
  if (asked === 'required') return { type: 'any' };
  const named = isObject(asked) && asked['type'] === 'function' ? asked['function'] : undefined;
  if (isObject(named)) return { type: 'tool', name: named['name'] };
  const why = 'it must be none, auto, required or a function';
  throw rejection(rig, 'tool_choice', 'unsupported_value', why);
};
