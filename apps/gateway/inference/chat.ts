import { type Caller } from '#areas/identity/authentication/caller.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type ChatReply } from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type AnswerFormat } from './answer-format.js';

/** One chat that came over HTTP. */
export interface Chat {
  readonly order: ChatOrder & { readonly body: ChatBody };
  readonly caller: Caller;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Of a request that asks for a stream that can be resumed: as `ResumableStreams` gave it. */
  readonly requestHash: string | undefined;
  /** Undefined for a chat of OpenAI. */
  readonly format: AnswerFormat | undefined;
}

/** A further chat of the same request, with a hold and a charge of its own. @param n from 1 on */
export const followingChat = ({ order }: Chat, body: ChatBody, n: number): ChatOrder => {
  const { context } = order;
  const requestId = derivedId(`following chat ${n}`, context.requestId);
  return { ...order, body, routingMode: body.routing_mode, context: { ...context, requestId } };
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
