import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  always,
  equals,
  fieldsBeside,
  HONOURED_BY_ALL,
  type HonouredFields,
  isEmpty,
} from '#platform/chats/honoured-fields.js';
import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type PipelineOrder } from './pipeline-order.js';
import { type PipelineMessage } from './pipeline.task.js';
import { type ShardingErrorCode } from './sharding.errors.js';

type Body = ChatOrder['body'];

/** Others are refused by name. */
const HONOURED: HonouredFields = {
  ...HONOURED_BY_ALL,
  routing_mode: always,
  // Of spiking modes: every body has it by default.
  timesteps: always,
  // Values that turn a feature off, as clients send them by default.
  n: equals(1),
  logprobs: equals(false),
  top_logprobs: equals(0),
  tools: isEmpty,
  tool_choice: equals('none', 'auto'),
  response_format: (value) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
};

/** @throws DomainError `pipeline_field_unsupported`, which names the field */
export const pipelineOrderOf = (order: ChatOrder): PipelineOrder => {
  const { body, accountId, receivedAtMs, context, confirm } = order;
  const [unsupported] = fieldsBeside(HONOURED, body);
  if (unsupported !== undefined) {
    throw refused(unsupported, 'a sharded pipeline cannot honour it');
  }
  const limits = [body.max_tokens, body.max_completion_tokens].filter((limit) => limit != null);
  return {
    accountId,
    receivedAtMs,
    context,
    model: body.model,
    transport: 'websocket',
    messages: body.messages.map(messageOf),
    maxTokens: limits.length === 0 ? null : Math.min(...limits),
    temperature: numberIn(body, 'temperature') ?? TEMPERATURE_DEFAULT,
    topP: numberIn(body, 'top_p'),
    seed: numberIn(body, 'seed'),
    stop: stopOf(body['stop']),
    ...(confirm && { confirm }),
  };
};

const refused = (field: string, why: string): DomainError =>
  new DomainError<ShardingErrorCode>('pipeline_field_unsupported', `'${field}' is refused: ${why}`);

/** The schema of a chat has checked the types of these fields. */
const numberIn = (body: Body, field: string): number | null => {
  const value = body[field];
  return typeof value === 'number' ? value : null;
};

const stopOf = (stop: unknown): readonly string[] =>
  (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string');

const messageOf = (message: Body['messages'][number], at: number): PipelineMessage => {
  const role = message.role === 'developer' ? 'system' : message.role;
  if (role !== 'system' && role !== 'user' && role !== 'assistant') {
    throw refused(`messages[${at}].role`, 'expected system, developer, user or assistant');
  }
  for (const field of ['tool_calls', 'function_call', 'audio']) {
    if (message[field] != null) throw refused(`messages[${at}].${field}`, 'there are no tools');
  }
  return { role, content: textOf(message.content, at) };
};

const textOf = (content: unknown, at: number): string => {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [null];
  return parts.map((part) => partText(part, at)).join('\n');
};

const partText = (part: unknown, at: number): string => {
  const isObject = typeof part === 'object' && part !== null;
  if (isObject && 'text' in part && typeof part.text === 'string') return part.text;
  throw refused(`messages[${at}].content`, 'a pipeline reads text only');
};
