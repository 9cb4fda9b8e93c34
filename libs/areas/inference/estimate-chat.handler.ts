import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type PriceTier } from '#events/token-price.vocabulary.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { priceOf } from '#platform/ledger/price.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { describedBy, type FailureDescription } from '#platform/runtime/areas/failure.js';
import {
  rejectedField,
  RejectedRequestError,
} from '#platform/runtime/commands/rejected-request.js';
import { ChatAdapters } from './chat-adapters.js';
import { ChatPricing, passing, type PricedChat, type SizedModel } from './chat-pricing.js';
import { ChatStrategies } from './chat-strategies.js';
import { RIGS } from './ports.js';
import { type RigRouter } from './rigs/rig-router.js';

export interface EstimatedPrice {
  readonly model: string;
  readonly rateCardVersion: number;
  /** Of the largest input that the request may have. */
  readonly tier: PriceTier;
  /** Of the hold. */
  readonly lines: readonly PriceLine[];
  /** No charge for the request is above it. */
  readonly amountMicroUsd: bigint;
}

export interface ChatEstimate {
  /** Null for a request that has no price. */
  readonly price: EstimatedPrice | null;
  /** Without the open holds; null where the ledger did not accept the request. */
  readonly availableMicroUsd: bigint | null;
  /** Why the request would be rejected now; empty if it would run. */
  readonly rejections: readonly FailureDescription[];
}

/** Prices a chat by the code of its hold, and holds nothing. Called without the bus. */
@Injectable()
export class EstimateChatHandler {
  constructor(
    private readonly pricing: ChatPricing,
    private readonly paid: PaidRequests,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly adapters: ChatAdapters,
    private readonly strategies: ChatStrategies,
    private readonly areas: Areas,
  ) {}

  /** @throws RejectedRequestError for a chat that no rig answers; other errors are defects */
  async execute(order: ChatOrder): Promise<ChatEstimate> {
    const rejections = new Rejections(this.areas);
    const { body, accountId } = order;
    const strategy = await rejections.of(() => this.strategies.of(order));
    if (strategy) throw rejectedField('routing_mode', 'expected auto or rig_{id} of a chat model');
    const priced = await rejections.of(() => this.pricing.price(order));
    if (!priced) return { price: null, availableMicroUsd: null, rejections: rejections.found };
    const checked = await rejections.of(() =>
      passing(priced.models, (one) => {
        this.rigs.check(one.target, body, order.original);
        return one;
      }),
    );
    const { adapter } = body;
    if (adapter != null) {
      const [{ model }] = priced.models;
      await rejections.of(() => this.adapters.place(accountId, adapter, model.id));
    }
    const sized = await rejections.of(() => this.pricing.size(order, { ...priced, ...checked }));
    if (!sized) return { price: null, availableMicroUsd: null, rejections: rejections.found };
    const worst = this.pricing.worstCase(order, sized);
    const hold = await rejections.of(() => this.paid.preview(order, worst));
    return {
      price: priceOfHold(sized, hold?.lines ?? worst.lines),
      availableMicroUsd: hold?.availableMicroUsd ?? null,
      rejections: rejections.found,
    };
  }
}

const priceOfHold = (
  { models, terms }: PricedChat<SizedModel>,
  lines: readonly PriceLine[],
): EstimatedPrice => {
  const [{ model, tariff, bound }] = models;
  return {
    model: model.id,
    rateCardVersion: tariff.rateCardVersion,
    tier: tariff.tierOf(bound.inputTokens, terms),
    lines,
    amountMicroUsd: priceOf(lines),
  };
};

/** Gathers why a request would be rejected, as its answer would say. */
class Rejections {
  readonly found: FailureDescription[] = [];

  constructor(private readonly areas: Areas) {}

  /** Undefined where the work rejects the request. @throws what is a defect */
  async of<Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const described =
        error instanceof RejectedRequestError
          ? error.failure
          : describedBy(error, this.areas.meanings());
      if (!described) throw error;
      this.found.push(described);
      return undefined;
    }
  }
}
