import { type ChatOrder } from '#areas/inference/chat-admission.js';
import { ChatStrategies, type ChatStrategy } from '#areas/inference/chat-strategies.js';

/** The strategies of several areas: the first that answers a chat does. */
export class ListedChatStrategies extends ChatStrategies {
  constructor(private readonly listed: readonly ChatStrategies[]) {
    super();
  }

  override of(order: ChatOrder): ChatStrategy | undefined {
    for (const strategies of this.listed) {
      const found = strategies.of(order);
      if (found) return found;
    }
    return undefined;
  }
}
