import {
  type AcceptedItem,
  type BatchEndpoint,
  type BatchPrice,
  type ItemAnswer,
  type ItemRequest,
  type ItemRetry,
} from '#platform/batches/batch-endpoint.js';
import { type ChatCall, type ChatCalls } from './chat-calls.port.js';

type Write = ChatCall['write'];

/** A line as a chat, and how its answer is written. */
export interface TranslatedCall extends Omit<ChatCall, 'write'> {
  readonly write: (...answer: [...Parameters<Write>, requestId: string]) => ReturnType<Write>;
}

/** The lines of a batch for an interface that is answered by chats. */
export class TranslatedCalls implements BatchEndpoint {
  /** @param translate throws RejectedRequestError for a body that the interface rejects */
  constructor(
    private readonly chats: ChatCalls,
    private readonly translate: (body: unknown) => TranslatedCall,
  ) {}

  accept(body: unknown): AcceptedItem {
    return this.chats.accept(this.#lineOf(body, ''));
  }

  price(model: string, atMs: number): BatchPrice | undefined {
    return this.chats.batchPrice(model, atMs);
  }

  async run(
    { accountId, body, requestId, pricedAtMs }: ItemRequest,
    signal: AbortSignal,
  ): Promise<ItemAnswer> {
    const line = this.#lineOf(body, requestId);
    return this.chats.complete(line, { accountId, priority: 'batch', pricedAtMs }, signal);
  }

  retryOf(error: unknown): ItemRetry {
    return this.chats.retryOf(error);
  }

  #lineOf(body: unknown, requestId: string): ChatCall {
    const { write, ...chats } = this.translate(body);
    return { ...chats, write: (completion, charged) => write(completion, charged, requestId) };
  }
}
