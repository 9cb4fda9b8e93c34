import {
  type ChatGuards,
  guardedBody,
  type GuardedWork,
} from '#platform/chats/chat-guards.port.js';

type Body = Readonly<Record<string, unknown>>;

const hasTokens = (input: unknown): boolean =>
  Array.isArray(input) && [input[0], (input[0] as unknown[] | undefined)?.[0]].some(isNumber);

const isNumber = (value: unknown): boolean => typeof value === 'number';

/**
 * A body of embeddings, a ranking or a moderation, as the rules of the operator leave it. It need
 * not be valid.
 * @throws as `ChatGuard.texts`
 */
export const guardedInputs = <Sent extends Body>(
  guards: Pick<ChatGuards, 'of'>,
  work: GuardedWork,
  sent: Sent,
): Promise<Sent> =>
  hasTokens(sent['input'])
    ? guardedBody(guards, work, sent, 'input')
    : guardedBody(guards, work, sent);
