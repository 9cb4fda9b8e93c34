import { INPUT_METER } from '#events/token-meters.js';
import { Injectable } from '@nestjs/common';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import {
  type AcceptedItem,
  type BatchEndpoint,
  type BatchPrice,
  type ItemAnswer,
  type ItemRequest,
  type ItemRetry,
} from '#platform/batches/batch-endpoint.js';
import { ChatGuards, isGuardFailed } from '#platform/chats/chat-guards.port.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { checkEmbeddings, type CheckedEmbeddings, tariffOf } from './checked-embeddings.js';
import { readEmbeddingBody } from './embedding-body.js';
import { embeddingList } from './embedding-list.js';
import { guardedInputs } from './guarded-embeddings.js';
import { heldLinesOf, usedUnitsOf } from './embedding.product.js';
import { EmbeddingModels, EmbeddingRigs } from './ports.js';
import { inEncoding } from './vectors.js';

const BATCH = { isBatch: true };

export const EMBEDDINGS_PATH = '/v1/embeddings';

/** Embeddings as lines of a batch: the rules and rigs of interactive ones, without a hold. */
@Injectable()
export class EmbeddingBatchEndpoint implements BatchEndpoint {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly rigs: EmbeddingRigs,
    private readonly guards: ChatGuards,
  ) {}

  accept(value: unknown): AcceptedItem {
    const { asked, model, body, boundTokens } = this.#check(value);
    this.rigs.rejectFields({ model: model.id, accountId: '', body });
    return { model: asked.model, bound: { [INPUT_METER]: boundTokens } };
  }

  price(modelId: string, atMs: number): BatchPrice | undefined {
    const tariff = this.models.model(modelId) && TokenTariff.at(this.models, modelId, atMs);
    if (!tariff) return undefined;
    const { rateCardVersion, rate } = tariff;
    return {
      rateCardVersion,
      discountPercent: rate.batchDiscountPercent,
      linesOf: (bound) => heldLinesOf(bound[INPUT_METER] ?? 0, tariff, BATCH),
    };
  }

  async run(
    { accountId, pricedAtMs, body: value }: ItemRequest,
    signal: AbortSignal,
  ): Promise<ItemAnswer> {
    const { asked, model, body: sent, boundTokens: promptTokensMax } = this.#check(value);
    const work = { accountId, model: asked.model, requestId: null };
    const body = await guardedInputs(this.guards, work, sent);
    const order = { model: model.id, accountId, body, promptTokensMax, priority: 'batch' } as const;
    const tariff = tariffOf(this.models, model.id, pricedAtMs);
    const unitsOf = (tokens: number, rig: string) =>
      usedUnitsOf(Math.min(tokens, promptTokensMax), tariff, rig, BATCH);
    const { vectors, usage, rig } = await this.rigs.embed(order, signal).catch((error: unknown) => {
      const used = model.chargesCancelled ? this.rigs.failureOf(error)?.used : null;
      if (!used) throw error;
      throw new AbortedItemError(unitsOf(used.usage.promptTokens, used.rig), { cause: error });
    });
    const encoded = vectors.map((vector) => inEncoding(vector, asked.encoding));
    return {
      body: { ...embeddingList(asked.model, encoded, usage) },
      used: unitsOf(usage.promptTokens, rig),
    };
  }

  retryOf(error: unknown): ItemRetry {
    if (isGuardFailed(error)) return 'limited';
    return this.rigs.failureOf(error)?.retry ?? 'never';
  }

  #check(value: unknown): CheckedEmbeddings {
    const read = readEmbeddingBody(value);
    if ('asked' in read) return checkEmbeddings(read.asked, this.models);
    const { message, param } = read.invalid;
    throw new RejectedRequestError({
      status: 400,
      code: 'invalid_request',
      message,
      ...(param !== null && { param }),
    });
  }
}
