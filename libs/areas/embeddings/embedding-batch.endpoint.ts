import { INPUT_METER } from '#events/token-meters.js';
import { Injectable } from '@nestjs/common';
import { AbortedLineError } from '#platform/batches/aborted-line.js';
import {
  type AcceptedLine,
  type BatchEndpoint,
  type BatchPrice,
  type LineAnswer,
  type LineRequest,
  type LineRetry,
} from '#platform/batches/batch-endpoint.js';
import { RefusedRequestError } from '#platform/runtime/commands/refused-request.js';
import { checkEmbeddings, type CheckedEmbeddings } from './checked-embeddings.js';
import { readEmbeddingBody } from './embedding-body.js';
import { embeddingList } from './embedding-list.js';
import { batchLineOf } from './embedding.product.js';
import { EmbeddingModels, EmbeddingRigs } from './ports.js';
import { inEncoding } from './vectors.js';

export const EMBEDDINGS_PATH = '/v1/embeddings';

/** Embeddings as lines of a batch: the rules and rigs of interactive ones, without a hold. */
@Injectable()
export class EmbeddingBatchEndpoint implements BatchEndpoint {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly rigs: EmbeddingRigs,
  ) {}

  accept(value: unknown): AcceptedLine {
    const { asked, model, body, boundTokens } = this.#check(value);
    this.rigs.refuseFields({ model: model.id, accountId: '', body });
    return { model: asked.model, bound: { [INPUT_METER]: boundTokens } };
  }

  price(modelId: string, atMs: number): BatchPrice | undefined {
    const rate = this.models.model(modelId) && this.models.rateFor(modelId, atMs);
    if (!rate) return undefined;
    return {
      rateCardVersion: rate.version,
      discountPercent: rate.batchDiscountPercent,
      linesOf: (quantities) => [batchLineOf(quantities[INPUT_METER] ?? 0, rate)],
    };
  }

  async run({ accountId, body: value }: LineRequest, signal: AbortSignal): Promise<LineAnswer> {
    const { asked, model, body, boundTokens: promptTokensMax } = this.#check(value);
    const order = { model: model.id, accountId, body, promptTokensMax, priority: 'batch' } as const;
    const { vectors, usage, rig } = await this.rigs.embed(order, signal).catch((error: unknown) => {
      const used = model.chargesCancelled ? this.rigs.failureOf(error)?.used : null;
      if (!used) throw error;
      const quantity = Math.min(used.usage.promptTokens, promptTokensMax);
      throw new AbortedLineError({ [INPUT_METER]: quantity }, used.rig, { cause: error });
    });
    const encoded = vectors.map((vector) => inEncoding(vector, asked.encoding));
    return {
      body: { ...embeddingList(asked.model, encoded, usage) },
      usage: { [INPUT_METER]: Math.min(usage.promptTokens, promptTokensMax) },
      rig,
    };
  }

  retryOf(error: unknown): LineRetry {
    return this.rigs.failureOf(error)?.retry ?? 'never';
  }

  #check(value: unknown): CheckedEmbeddings {
    const read = readEmbeddingBody(value);
    if ('asked' in read) return checkEmbeddings(read.asked, this.models);
    const { message, param } = read.invalid;
    throw new RefusedRequestError({
      status: 400,
      code: 'invalid_request',
      message,
      ...(param !== null && { param }),
    });
  }
}
