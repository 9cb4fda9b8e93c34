import { type ChatBody } from '#platform/chats/chat-order.js';
import {
  always,
  equals,
  fieldsBeside,
  HONOURED_BY_ALL,
  type HonouredFields,
} from '#platform/chats/honoured-fields.js';
import { isFields } from '#platform/chats/read-answer.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';

/** The fields that chats in a clean room have beside those of every engine. */
const HONOURED: HonouredFields = {
  ...HONOURED_BY_ALL,
  routing_mode: always,
  cleanroom_uuid: always,
  timesteps: always,
  n: equals(1),
};

/**
 * The room of a chat.
 * @param own further fields that the mode reads
 * @throws RejectedRequestError for a chat without a room, and for a field that is not honoured
 */
export const roomIdOf = (body: ChatBody, own: readonly string[]): string => {
  const honoured = { ...HONOURED, ...Object.fromEntries(own.map((field) => [field, always])) };
  const [refused] = fieldsBeside(honoured, body);
  if (refused !== undefined) {
    throw rejectedField(refused, 'expected no such field in this routing_mode');
  }
  if (typeof body.cleanroom_uuid === 'string') return body.cleanroom_uuid;
  throw rejectedField('cleanroom_uuid', 'expected the clean room of this routing_mode');
};

/**
 * The contents of the messages, which are bytes in base64.
 * @param expected the bytes, in words
 * @throws RejectedRequestError that names the message
 */
export const sealedContentsOf = (
  { messages }: ChatBody,
  expected: string,
  bytesMax: number,
): readonly Buffer[] =>
  messages.map(({ content, role }, at) => {
    const path = `messages[${at}]`;
    if (role !== 'user') throw rejectedField(`${path}.role`, 'expected user');
    const text = textOf(content);
    if (text === null || !isBase64(text)) {
      throw rejectedField(`${path}.content`, `expected ${expected} in base64, and no plain text`);
    }
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length <= bytesMax) return bytes;
    throw rejectedField(`${path}.content`, `expected at most ${bytesMax} bytes`);
  });

/** A text, or a content of one text part. */
const textOf = (content: unknown): string | null => {
  if (typeof content === 'string') return content;
  const [part, ...others]: readonly unknown[] = Array.isArray(content) ? content : [];
  const isText = isFields(part) && part['type'] === 'text' && others.length === 0;
  return isText && typeof part['text'] === 'string' ? part['text'] : null;
};

const isBase64 = (text: string): boolean =>
  text !== '' && text.length % 4 === 0 && /^[A-Za-z\d+/]+={0,2}$/.test(text);
