import { type PlacedAdapters } from '#areas/adapters/placed-adapters.js';
import { ChatAdapters } from '#areas/inference/chat-adapters.js';
import { type TextAdapter } from '#areas/inference/rigs/text-adapter.js';

/** The adapters of the vault, for chats. */
export class VaultChatAdapters extends ChatAdapters {
  /** @param placed absent in a process without the area */
  constructor(private readonly placed: PlacedAdapters | undefined) {
    super();
  }

  place(accountId: string, adapter: string, modelId: string): Promise<TextAdapter> {
    if (!this.placed) throw new Error('this process has no adapters');
    return this.placed.place(accountId, adapter, modelId);
  }
}
