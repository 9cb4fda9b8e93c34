import { type Caller } from '#areas/identity/authentication/caller.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { type ChatOrder, type OriginalRequest } from '#platform/chats/chat-order.js';
import { type ChatReply } from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type AnswerFormat } from './answer-format.js';

/** One chat that came over HTTP. */
export interface Chat {
  readonly body: ChatBody;
  readonly caller: Caller;
  readonly context: CommandContext;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** By the clock, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** The attempt with an `Idempotency-Key`: as in `ChatOrder`. */
  readonly confirm?: () => Promise<boolean>;
  /** As in `ChatOrder`. */
  readonly others?: readonly ChatBody[];
  /** As in `ChatOrder`. */
  readonly original?: OriginalRequest;
  /** Of a request that asks for a stream that can be resumed: as `ResumableStreams` gave it. */
  readonly requestHash?: string;
  /** As in `ChatOrder`. */
  readonly cacheSeconds?: number;
  /** As in `ChatOrder`. */
  readonly sessionId?: string;
  /** Default: a chat of OpenAI. */
  readonly format?: AnswerFormat;
}

export const orderOf = (chat: Chat): ChatOrder => ({
  accountId: chat.caller.accountId,
  receivedAtMs: chat.receivedAtMs,
  body: chat.body,
  routingMode: chat.body.routing_mode,
  context: chat.context,
  ...(chat.confirm && { confirm: chat.confirm }),
  ...(chat.others && { others: chat.others }),
  ...(chat.original && { original: chat.original }),
  ...(chat.cacheSeconds !== undefined && { cacheSeconds: chat.cacheSeconds }),
  ...(chat.sessionId !== undefined && { sessionId: chat.sessionId }),
});

/** A further chat of the same request, with a hold and a charge of its own. @param n from 1 on */
export const followingChat = (chat: Chat, body: ChatBody, n: number): Chat => {
  const { context } = chat;
  const requestId = derivedId(`following chat ${n}`, context.requestId);
  return { ...chat, body, context: { ...context, requestId } };
};

/**
 * The usage that an answer shows. Tokens that a rig states above the bound are not charged, and
 * other interfaces do not show them. The token classes are then on the bill only.
 */
export const chargedOf = (usage: Usage, bound: ChatReply['bound']): Usage => {
  const { promptTokens, completionTokens, source } = usage;
  const { inputTokens = promptTokens, outputTokens = completionTokens } = bound ?? {};
  if (promptTokens <= inputTokens && completionTokens <= outputTokens) return usage;
  return {
    promptTokens: Math.min(promptTokens, inputTokens),
    completionTokens: Math.min(completionTokens, outputTokens),
    source,
  };
};
