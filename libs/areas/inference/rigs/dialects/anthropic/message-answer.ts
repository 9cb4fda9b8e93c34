import { usageObject } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { countedAnswer, countedPrompt } from '../../counted-usage.js';
import { isObject } from '../../token-usage.js';
import { messageUsage } from './anthropic-usage.js';
import { finishReasonOf } from './stop-reasons.js';

/** Reads a message of Anthropic as a completion. Null for JSON that is none. */
export const completionOf = (message: JsonObject, request: ChatRequest): ChatAnswer | null => {
  const { type, content, model } = message;
  if (type !== 'message' || !Array.isArray(content)) return null;
  const asked = typeof model === 'string' ? model : '';
  const usage = messageUsage(message['usage'], asked);
  const completion = {
    id: message['id'],
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1e3),
    model,
    choices: [choiceOf(message, content.filter(isObject))],
  };
  if (usage) return { completion: { ...completion, usage: usageObject(usage) }, usage };
  return countedAnswer(completion, countedPrompt(request));
};

const choiceOf = (message: JsonObject, blocks: readonly JsonObject[]): JsonObject => {
  const { stop_reason: reason, stop_sequence: stop } = message;
  return {
    index: 0,
    message: assistantOf(blocks),
    finish_reason: finishReasonOf(reason),
    logprobs: null,
    ...(typeof stop === 'string' && { stop_reason: stop }),
  };
};

const assistantOf = (blocks: readonly JsonObject[]): JsonObject => {
  const text = textOf(blocks, 'text', 'text');
  const reasoning = textOf(blocks, 'thinking', 'thinking');
  const thoughts = blocks.filter(({ type }) => isThought(type));
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCallOf);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
};

export const isThought = (type: unknown): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

const textOf = (blocks: readonly JsonObject[], wanted: string, field: string): string =>
  blocks
    .map(({ type, [field]: text }) => (type === wanted && typeof text === 'string' ? text : ''))
    .join('');

const toolCallOf = ({ id, name, input }: JsonObject, index: number): JsonObject => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});
