import { type ChatOrder } from '#platform/chats/chat-order.js';
import { refusedField } from '#platform/runtime/commands/refused-request.js';

/**
 * For answers that no rig makes: they read chats only.
 * @throws RefusedRequestError 400 that names what a chat cannot express
 */
export const refuseOriginal = (order: ChatOrder): ChatOrder => {
  const { original, ...rest } = order;
  const field = original?.untranslated;
  if (field === undefined) return rest;
  throw refusedField(field, 'this routing mode reads chats, which have no such field');
};
