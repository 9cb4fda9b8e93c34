import { type TextAdapter } from './rigs/text-adapter.js';

/** Adapters on the weights of models. The composition root binds the area that has them. */
export abstract class ChatAdapters {
  /**
   * @param adapter as the caller names it
   * @throws DomainError that says why the account may not use it with this model
   */
  abstract place(accountId: string, adapter: string, modelId: string): Promise<TextAdapter>;
}
