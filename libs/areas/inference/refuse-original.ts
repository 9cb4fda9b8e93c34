import { type ChatOrder } from '#platform/chats/chat-order.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';

/**
 * For answers that no rig makes: they read chats only.
 * @throws RejectedRequestError 400 that names what a chat cannot express
 */
export const rejectOriginal = (order: ChatOrder): ChatOrder => {
  const { original, ...rest } = order;
  const field = original?.untranslated;
  if (field === undefined) return rest;
  throw rejectedField(field, 'this routing mode reads chats, which have no such field');
};
