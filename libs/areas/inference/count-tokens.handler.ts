import { Inject, Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { chatModel } from './chat-model.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { MODEL_CATALOG, type ModelCatalog, RIGS } from './ports.js';
import { requestNeedsOf } from './rigs/chat-features.js';
import { type RigRouter } from './rigs/rig-router.js';
import { promptTokensBound } from './token-bound.js';
import { withoutOwnFields } from './upstream-body.js';

/** A prompt to count, of an account whose requests share its turns. */
export type CountOrder = Pick<ChatOrder, 'accountId' | 'body' | 'original'>;

/** Has a rig count the tokens of a prompt, free of charge. */
@Injectable()
export class CountTokensHandler {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(RIGS) private readonly rigs: Pick<RigRouter, 'countTokens'>,
  ) {}

  /** @throws DomainError `model_not_found`, `token_count_unavailable`; RouteError */
  async execute({ accountId, body, original }: CountOrder, signal: AbortSignal): Promise<number> {
    const model = chatModel(this.catalog, body.model);
    const request = {
      body: { ...withoutOwnFields(body), model: model.upstreamId },
      promptTokensMax: promptTokensBound(body, model),
      ...(original && { original: { ...original, body } }),
    };
    const order = {
      model: model.id,
      account: accountId,
      needs: requestNeedsOf(body, original),
      request: () => request,
      ...(original && { dialect: original.dialect }),
    };
    const tokens = await this.rigs.countTokens(order, signal);
    if (tokens !== null) return tokens;
    const detail = `no rig of the model ${model.id} counts tokens`;
    throw new DomainError<InferenceErrorCode>('token_count_unavailable', detail);
  }
}
