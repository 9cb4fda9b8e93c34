import { z } from 'zod';
import { MESSAGES_MAX, TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { always, equals, type HonouredFields, isEmpty } from '#platform/chats/honoured-fields.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { messageOf } from '#platform/kernel/faults.js';
import { type ChatAsked, type SwarmMessage } from './chat-asked.js';
import { type SwarmErrorCode } from './swarm.errors.js';
import { type JsonObject } from './swarm-models.port.js';

export const STOPS_MAX = 16;

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/** A message that has a text and nothing else. */
export const TextMessage = z.strictObject({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: z.union([z.string(), z.array(TextPart).min(1).max(1_000)]),
  name: z.string().max(256).nullish(),
});

/** The fields of a chat that models honour together. */
export const chatFields = {
  messages: z.array(TextMessage).min(1).max(MESSAGES_MAX),
  max_tokens: z.int().min(1).max(10_000_000).nullish(),
  max_completion_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(STOPS_MAX)])
    .nullish()
    .describe('Texts before which the answer ends.'),
};

const ChatFields = z.object(chatFields);
export type ChatFields = z.infer<typeof ChatFields>;

export const chatAskedOf = (fields: ChatFields): ChatAsked => {
  const { max_tokens: old, max_completion_tokens: current, stop } = fields;
  const limits = [old, current].filter((limit) => limit != null);
  return {
    messages: fields.messages.map(textMessageOf),
    maxTokens: limits.length === 0 ? null : Math.min(...limits),
    temperature: fields.temperature ?? TEMPERATURE_DEFAULT,
    topP: fields.top_p ?? null,
    seed: fields.seed ?? null,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
  };
};

const textMessageOf = ({ role, content }: z.infer<typeof TextMessage>): SwarmMessage => ({
  role: role === 'developer' ? 'system' : role,
  content: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
});

/**
 * The other fields of a chat completion that may be sent: labels of the caller, and values that
 * turn a feature off. Every other field is rejected by its name.
 */
const HARMLESS: HonouredFields = {
  model: always,
  routing_mode: always,
  timesteps: always,
  stream: always,
  stream_options: always,
  user: always,
  metadata: always,
  safety_identifier: always,
  prompt_cache_key: always,
  service_tier: equals('auto', 'default'),
  store: equals(false),
  n: equals(1),
  logprobs: equals(false),
  top_logprobs: equals(0),
  presence_penalty: equals(0),
  frequency_penalty: equals(0),
  logit_bias: isEmpty,
  tools: isEmpty,
  functions: isEmpty,
};

/**
 * Reads the body of a chat completion.
 * @param ours further fields, which the mode reads itself
 * @throws DomainError `swarm_field_unsupported`
 */
export const readChatFields = (body: JsonObject, ours: readonly string[]): ChatAsked => {
  for (const [field, value] of Object.entries(body)) {
    if (value == null || Object.hasOwn(chatFields, field) || ours.includes(field)) continue;
    const isHarmless = Object.hasOwn(HARMLESS, field) && HARMLESS[field]?.(value) === true;
    if (!isHarmless) throw unsupported(field, 'models that work together cannot honour it');
  }
  const { data, error } = ChatFields.safeParse(body);
  if (data) return chatAskedOf(data);
  const faults = error.issues.map(
    ({ path, message }) => `${path.map(String).join('.')}: ${message}`,
  );
  throw unsupported(String(error.issues[0]?.path[0] ?? 'messages'), messageOf(faults));
};

const unsupported = (field: string, why: string): DomainError =>
  new DomainError<SwarmErrorCode>('swarm_field_unsupported', `${field} is refused: ${why}`, {
    param: field,
  });
