import { type GuardedWork } from '#platform/chats/chat-guards.port.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';

/** A chat whose caller waits, as guards know it. */
export const guardedWork = ({ accountId, body, context }: ChatOrder): GuardedWork => ({
  accountId,
  model: body.model,
  requestId: context.requestId,
});
