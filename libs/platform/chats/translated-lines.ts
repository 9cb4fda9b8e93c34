import {
  type AcceptedLine,
  type BatchEndpoint,
  type BatchPrice,
  type LineAnswer,
  type LineRequest,
  type LineRetry,
} from '#platform/batches/batch-endpoint.js';
import { type ChatLine, type ChatLines } from './chat-lines.port.js';

type Write = ChatLine['write'];

/** A line as a chat, and how its answer is written. */
export interface TranslatedLine extends Omit<ChatLine, 'write'> {
  readonly write: (...answer: [...Parameters<Write>, requestId: string]) => ReturnType<Write>;
}

/** The lines of a batch for an interface that is answered by chats. */
export class TranslatedLines implements BatchEndpoint {
  /** @param translate throws RefusedRequestError for a body that the interface rejects */
  constructor(
    private readonly chats: ChatLines,
    private readonly translate: (body: unknown) => TranslatedLine,
  ) {}

  accept(body: unknown): AcceptedLine {
    return this.chats.accept(this.#lineOf(body, ''));
  }

  price(model: string, atMs: number): BatchPrice | undefined {
    return this.chats.batchPrice(model, atMs);
  }

  async run(
    { accountId, body, requestId, pricedAtMs }: LineRequest,
    signal: AbortSignal,
  ): Promise<LineAnswer> {
    const line = this.#lineOf(body, requestId);
    return this.chats.complete(line, { accountId, priority: 'batch', pricedAtMs }, signal);
  }

  retryOf(error: unknown): LineRetry {
    return this.chats.retryOf(error);
  }

  #lineOf(body: unknown, requestId: string): ChatLine {
    const { write, ...chats } = this.translate(body);
    return { ...chats, write: (completion, charged) => write(completion, charged, requestId) };
  }
}
