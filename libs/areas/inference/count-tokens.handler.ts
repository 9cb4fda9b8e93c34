import { Inject, Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ChatPricing } from './chat-pricing.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { RIGS } from './ports.js';
import { requestNeedsOf } from './rigs/chat-features.js';
import { type RigRouter } from './rigs/rig-router.js';
import { upstreamBody } from './upstream-body.js';

/** Counts the tokens of a prompt, free of charge. Called without the bus. */
@Injectable()
export class CountTokensHandler {
  constructor(
    private readonly pricing: ChatPricing,
    @Inject(RIGS) private readonly rigs: RigRouter,
  ) {}

  /**
   * @returns the exact number, by the tokenizer of the model
   * @throws DomainError `token_count_unavailable`, with the bound, where no rig can count them;
   *   the errors of a chat; RouteError
   */
  async execute(order: ChatOrder, signal: AbortSignal): Promise<number> {
    const { body, original } = order;
    const { models } = this.pricing.size(order, this.pricing.price(order));
    const [{ model, target, bound }] = models;
    this.rigs.rejectFields(target, body);
    const request = {
      body: upstreamBody(body, model, bound),
      promptTokensMax: bound.inputTokens,
      ...(original && { original: { ...original, body } }),
    };
    const route = { ...target, needs: requestNeedsOf(body, original), request: () => request };
    const tokens = await this.rigs.count(route, signal);
    return tokens ?? onlyBounded(model.id, bound.inputTokens);
  }
}

const onlyBounded = (model: string, atMost: number): never => {
  const detail =
    `no rig of ${model} counts tokens: the prompt has at most ${atMost} ` +
    '(metadata.input_tokens_at_most), by its bytes';
  throw new DomainError<InferenceErrorCode>('token_count_unavailable', detail, {
    input_tokens_at_most: atMost,
  });
};
