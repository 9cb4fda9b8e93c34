import {
  type AcceptedItem,
  type ItemAnswer,
  type ItemRetry,
} from '#platform/batches/batch-endpoint.js';
import { type ChatCall, type ChatCallOrder, ChatCalls } from '#platform/chats/chat-calls.port.js';
import { type FailureDescription } from '#platform/runtime/areas/failure.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';

/** A failure of a rig. */
export class RigFailure extends Error {
  constructor(
    readonly retry: ItemRetry,
    readonly shown: FailureDescription | undefined,
  ) {
    super('a rig failed');
  }
}

/** Chats that one sentence answers, with 2 tokens of prompt and 3 of answer. */
export class ScriptedChatLines extends ChatCalls {
  readonly asked: { readonly line: ChatCall; readonly order: ChatCallOrder }[] = [];
  /** Runs before the answer. */
  before: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  finishReason = 'stop';

  override accept({ body }: ChatCall) {
    const { model } = body as { readonly model: string };
    return { model, bound: { input_tokens: 10, output_tokens: 20 } };
  }

  /** The answer of a guard. */
  guarded: () => Promise<void> = () => Promise.resolve();

  override guard(): Promise<void> {
    return this.guarded();
  }

  override batchPrice() {
    return { rateCardVersion: 3, discountPercent: 50, linesOf: () => [] };
  }

  override price(model: string) {
    if (model !== 'm') return undefined;
    return {
      rateCardVersion: 3,
      linesOf: ({ bound }: AcceptedItem) =>
        Object.entries(bound).map(([meter, quantity]) => ({
          meter,
          quantity,
          unitPriceMicroUsd: '1',
          perUnits: 1,
        })),
    };
  }

  override async complete(
    line: ChatCall,
    order: ChatCallOrder,
    signal: AbortSignal,
  ): Promise<ItemAnswer> {
    this.asked.push({ line, order });
    await this.before(signal);
    const message = { role: 'assistant', content: 'Cords.' };
    const choices = [{ index: 0, message, finish_reason: this.finishReason }];
    const completion = { model: 'm', routing_mode: 'auto', choices };
    const body = line.write(completion, {
      promptTokens: 2,
      completionTokens: 3,
      source: 'provider',
    });
    const used = [
      { meter: 'input_tokens', quantity: 2, rig: 'r' },
      { meter: 'output_tokens', quantity: 3, rig: 'r' },
    ];
    return { body, used };
  }

  override retryOf(error: unknown): ItemRetry {
    return error instanceof RigFailure ? error.retry : 'never';
  }

  override failureOf(error: unknown): FailureDescription | undefined {
    if (error instanceof RejectedRequestError) return error.failure;
    return error instanceof RigFailure ? error.shown : undefined;
  }
}
