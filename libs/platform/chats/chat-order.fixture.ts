import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type ChatBody, type ChatOrder } from './chat-order.js';

export const NOW = '2026-11-21T05:00:00.000Z';
export const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const question: ChatBody = {
  model: 'acme/llama-70b',
  messages: [{ role: 'user', content: 'What is a quipu?' }],
  max_tokens: 100,
};

export const orderOf = (body: Partial<ChatBody> = {}, routingMode = 'auto'): ChatOrder => ({
  accountId: '7',
  receivedAtMs: Date.parse(NOW),
  body: { ...question, ...body },
  routingMode,
  context: contextOf(REQUEST_ID, 'user:7'),
});
