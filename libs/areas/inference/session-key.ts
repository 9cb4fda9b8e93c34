import { type ChatMessage, type ChatOrder } from '#platform/chats/chat-order.js';
import { type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { CACHED_TOKENS_MIN } from './rigs/choice/warm-sessions.js';

/** Characters of each opening message that are hashed, beside its length. */
const OPENING_CHARACTERS_MAX = 2_048;
/** Messages of a system before the first of a user. */
const OPENING_MESSAGES_MAX = 8;
/** Characters of a name that are hashed. */
const NAME_CHARACTERS_MAX = 1_024;

/**
 * The session of a request, as a keyed hash: the caller's name for it, or else its opening, which a
 * conversation keeps while it grows. Without a name, a prompt that is too short for any cache has
 * none.
 * @param promptTokensMax a bound on the prompt
 */
export const sessionKeyOf = (
  { body, sessionId }: Pick<ChatOrder, 'body' | 'sessionId'>,
  promptTokensMax: number,
  hash: TextHasher,
): string | undefined => {
  const { prompt_cache_key: key } = body;
  if (typeof key === 'string' && key !== '') return hash(`key ${cut(key, NAME_CHARACTERS_MAX)}`);
  if (sessionId !== undefined) return hash(`id ${cut(sessionId, NAME_CHARACTERS_MAX)}`);
  if (promptTokensMax < CACHED_TOKENS_MIN) return undefined;
  return hash(`opening ${openingOf(body.messages)}`);
};

const openingOf = (messages: readonly ChatMessage[]): string => {
  const firstAnswer = messages.findIndex(({ role }) => role === 'user');
  const length = Math.min(OPENING_MESSAGES_MAX, firstAnswer === -1 ? 1 : firstAnswer + 1);
  return messages
    .slice(0, length)
    .map(({ role, content }) => {
      const text = typeof content === 'string' ? content : textsIn(content);
      return `${role} ${text.length} ${cut(text, OPENING_CHARACTERS_MAX)}`;
    })
    .join('\n');
};

/** The texts of the first parts; data of images is not read. */
const textsIn = (content: unknown): string =>
  Array.isArray(content)
    ? content
        .slice(0, OPENING_MESSAGES_MAX)
        .map((part: unknown) =>
          typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '',
        )
        .join('\n')
    : '';

const cut = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most) : text;
