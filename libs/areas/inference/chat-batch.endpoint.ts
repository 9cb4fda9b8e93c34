import { Inject, Injectable } from '@nestjs/common';
import {
  type AcceptedLine,
  type BatchEndpoint,
  type BatchPrice,
  type LineAnswer,
  type LineRequest,
  type LineRetry,
  type Quantities,
} from '#platform/batches/batch-endpoint.js';
import { checkChat, type CheckedChat } from './checked-chat.js';
import { MODEL_CATALOG, type ModelCatalog, RIGS, type TokenQuantities } from './ports.js';
import { type RigRouter } from './rigs/rig-router.js';
import { needsOf } from './rigs/chat-features.js';
import { RouteError } from './rigs/route-error.js';
import { batchLinesOf, INPUT_METER, OUTPUT_METER } from './token-lines.js';
import { upstreamBody } from './upstream-body.js';

export const CHAT_PATH = '/v1/chat/completions';

/** Chat completions as lines of a batch: the rules and rigs of interactive ones, without a hold. */
@Injectable()
export class ChatBatchEndpoint implements BatchEndpoint {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(RIGS) private readonly rigs: RigRouter,
  ) {}

  accept(value: unknown): AcceptedLine {
    const { body, bound } = this.#check(value);
    return { model: body.model, bound: quantitiesOf(bound) };
  }

  price(modelId: string, atMs: number): BatchPrice | undefined {
    const rate = this.catalog.model(modelId) && this.catalog.rateFor(modelId, atMs);
    if (!rate) return undefined;
    return {
      rateCardVersion: rate.version,
      discountPercent: rate.batchDiscountPercent,
      linesOf: (quantities) =>
        batchLinesOf(
          {
            inputTokens: quantities[INPUT_METER] ?? 0,
            outputTokens: quantities[OUTPUT_METER] ?? 0,
          },
          rate,
        ),
    };
  }

  async run({ accountId, body: value }: LineRequest, signal: AbortSignal): Promise<LineAnswer> {
    const { body, model, pin, bound } = this.#check(value);
    const request = {
      body: upstreamBody(body, model, bound),
      promptTokensMax: bound.inputTokens,
      isBatch: true,
    };
    const { answer, rig } = await this.rigs.complete(
      {
        model: model.id,
        account: accountId,
        priority: 'batch',
        needs: needsOf(body),
        requestFor: () => request,
        ...(pin !== undefined && { pin }),
      },
      signal,
    );
    const { completion, usage } = answer;
    return {
      body: { ...completion, model: body.model, routing_mode: body.routing_mode },
      usage: quantitiesOf({
        inputTokens: Math.min(usage.promptTokens, bound.inputTokens),
        outputTokens: Math.min(usage.completionTokens, bound.outputTokens),
      }),
      rig,
    };
  }

  retryOf(error: unknown): LineRetry {
    if (!(error instanceof RouteError)) return 'never';
    switch (error.kind) {
      case 'overloaded':
      case 'queue-full':
      case 'rig-drained':
      case 'rig-lost':
      case 'down':
        return 'always';
      case 'failed':
        return 'limited';
      case 'model-not-served':
      case 'rig-unknown':
      case 'rig-without-model':
      case 'refused':
      case 'cancelled':
        return 'never';
    }
  }

  #check(value: unknown): CheckedChat {
    return checkChat(value, this.catalog, this.rigs);
  }
}

const quantitiesOf = ({ inputTokens, outputTokens }: TokenQuantities): Quantities => ({
  [INPUT_METER]: inputTokens,
  [OUTPUT_METER]: outputTokens,
});
