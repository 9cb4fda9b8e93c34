import { type ChatRequest } from './chat-backend.js';

/** A rig that counts the tokens of a prompt by the tokenizer of its model. */
export interface CountingBackend {
  /** Answers nothing and costs nothing. @throws RigError */
  countTokens(request: ChatRequest, signal: AbortSignal): Promise<number>;
}
