import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from './chat-backend.js';
import { countedAnswerTokens, countedPromptTokens } from './token-usage.js';

/** The usage of a request without an answer, counted here. */
export const countedPrompt = ({ body, promptTokensMax }: ChatRequest): Usage => ({
  promptTokens: countedPromptTokens(body, promptTokensMax),
  completionTokens: 0,
  source: 'counted',
});

/** A whole answer without a stated usage: counted here, and shown in it. */
export const countedAnswer = (completion: JsonObject, prompt: Usage): ChatAnswer => {
  const usage: Usage = { ...prompt, completionTokens: countedAnswerTokens(completion) };
  return { completion: { ...completion, usage: usageObject(usage) }, usage };
};
