import { type ChatBody } from '#platform/chats/chat-order.js';
import { equals, type HonouredFields, isEmpty } from '#platform/chats/honoured-fields.js';
import { reject } from '../spiking.errors.js';

/** Fields of a chat that a network cannot honour, with the values that ask for nothing. */
const REFUSED: HonouredFields = {
  n: equals(1),
  tools: isEmpty,
  functions: isEmpty,
  stop: () => false,
  logprobs: equals(false),
  response_format: (value) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
  audio: () => false,
};

/**
 * The text that a network reads of a chat: the last message. Sampling fields have no effect, since
 * a run has no chance in it; fields that change the form of an answer are rejected.
 * @throws DomainError `snn_input_invalid`
 */
export const promptOf = (body: ChatBody): string => {
  const refused = Object.entries(REFUSED).find(
    ([field, isHarmless]) => body[field] != null && !isHarmless(body[field]),
  );
  if (refused) invalid(`${refused[0]}: a spiking network cannot honour it`);
  const last = body.messages.at(-1);
  const text = textOf(last?.content);
  if (text === '') invalid('messages: the last message has no text');
  return text;
};

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => partText(part)).join('');
};

/** @throws DomainError `snn_input_invalid` for a part that is no text */
const partText = (part: unknown): string => {
  if (
    typeof part === 'object' &&
    part !== null &&
    'text' in part &&
    typeof part.text === 'string'
  ) {
    return part.text;
  }
  return invalid('messages: a spiking network reads text only');
};

const invalid = (detail: string): never => reject('snn_input_invalid', detail);
