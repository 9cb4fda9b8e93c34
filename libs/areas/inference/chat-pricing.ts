import { Inject, Injectable } from '@nestjs/common';
import { type ChatHoldEvidence } from '#events/inference/chat.evidence.js';
import { OUTPUT_METER } from '#events/token-meters.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type WorstCase } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { chatModel, tariffOf } from './chat-model.js';
import { chatProduct } from './chat.product.js';
import {
  MODEL_CATALOG,
  type ModelCatalog,
  REQUEST_LIMITS,
  type RequestLimits,
  type ServedModel,
} from './ports.js';
import { type RouteTarget } from './rigs/rig-router.js';
import { RoutingModes } from './routing-modes.js';
import { boundsOfAll } from './several-prompts.js';
import { choicesOf, outputTokensAsked, tokenBounds } from './token-bound.js';
import { termsOf } from './token-lines.js';

/** A request with its model, rigs and prices, by the catalog of that instant. */
export interface PricedChat {
  readonly pin: string | undefined;
  readonly model: ServedModel;
  readonly target: RouteTarget;
  readonly tariff: TokenTariff;
  readonly terms: TariffTerms;
}

/** Prices requests: their holds, and the terms of their charges. */
@Injectable()
export class ChatPricing {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    private readonly modes: RoutingModes,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `model_not_found`, `routing_mode_unavailable`; RejectedRequestError */
  price({ accountId: account, body, others, routingMode }: ChatOrder): PricedChat {
    const pin = this.modes.pinnedRig(body, routingMode);
    const model = chatModel(this.catalog, body.model, account);
    return {
      pin,
      model,
      target: { model: model.id, account, ...(pin !== undefined && { pin }) },
      tariff: tariffOf(this.catalog, model.id, this.clock.now()),
      terms: termsOf([body, ...(others ?? [])]),
    };
  }

  /** @throws DomainError `context_length_exceeded` */
  boundOf({ body, others }: ChatOrder, { model }: PricedChat): TokenQuantities {
    return others ? boundsOfAll({ body, others }, model) : tokenBounds(body, model);
  }

  /** @throws as `boundOf` */
  worstCase(order: ChatOrder, priced: PricedChat): WorstCase {
    const { body } = order;
    const { tariff, terms } = priced;
    const hasLimit = outputTokensAsked(body) !== null;
    const evidence: ChatHoldEvidence = {
      modelAsked: body.model,
      ...(body.adapter != null && { adapter: body.adapter }),
    };
    return {
      purpose: chatProduct.purpose,
      lines: tariff.held(this.boundOf(order, priced), terms),
      rateCardVersion: tariff.rateCardVersion,
      shrink: hasLimit ? null : { meter: OUTPUT_METER, atLeast: choicesOf(body) },
      evidence,
      pricedAtMs: tariff.atMs,
      requestMsMax: this.limits.requestMsMax,
    };
  }
}
