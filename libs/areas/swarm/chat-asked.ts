import { type JsonObject } from './swarm-models.port.js';

export interface SwarmMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The question to models that work together, on every route. */
export interface ChatAsked {
  readonly messages: readonly SwarmMessage[];
  /** Null where a request has no limit: the model's own holds. */
  readonly maxTokens: number | null;
  readonly temperature: number;
  readonly topP: number | null;
  readonly seed: number | null;
  readonly stop: readonly string[];
}

/** The body of a chat with one model, in OpenAI's shape. */
export const bodyOf = (model: string, asked: ChatAsked): JsonObject => {
  const { messages, maxTokens, temperature, topP, seed, stop } = asked;
  return {
    model,
    messages,
    temperature,
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    ...(topP !== null && { top_p: topP }),
    ...(seed !== null && { seed }),
    ...(stop.length > 0 && { stop }),
  };
};
