import { type ChatOrder } from '#areas/inference/chat-admission.js';
import { ChatStrategies, type ChatStrategy } from '#areas/inference/chat-strategies.js';

/** Asks each area in turn: the first that answers such a chat gets it. */
export class FirstChatStrategies extends ChatStrategies {
  constructor(private readonly parts: readonly ChatStrategies[]) {
    super();
  }

  override of(order: ChatOrder): ChatStrategy | undefined {
    for (const part of this.parts) {
      const strategy = part.of(order);
      if (strategy) return strategy;
    }
    return undefined;
  }
}
