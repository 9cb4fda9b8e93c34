import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type ChatHoldEvidence, type PassedModel } from '#events/inference/chat.evidence.js';
import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type WorstCase } from '#platform/ledger/paid-work/paid-request.js';
import { isAbove } from '#platform/ledger/price.js';
import { ofModel } from '#platform/ledger/price-card.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { chatModel, tariffOf } from './chat-model.js';
import { chatProduct } from './chat.product.js';
import { passedReasonOf, PriceAboveMaxError } from './passed-models.js';
import {
  MODEL_CATALOG,
  type ModelCatalog,
  REQUEST_LIMITS,
  type RequestLimits,
  type ServedModel,
} from './ports.js';
import { type RouteTarget } from './rigs/rig-candidates.js';
import { RoutingModes } from './routing-modes.js';
import { type RoutingWishes, routingWishesOf } from './routing-fields.js';
import { boundsOfAll } from './several-prompts.js';
import { choicesOf, outputTokensAsked, tokenBounds } from './token-bound.js';
import { termsOf } from './token-lines.js';

/** A model that may answer a request, with its rigs and prices, by the catalog of that instant. */
export interface PricedModel {
  readonly model: ServedModel;
  readonly target: RouteTarget;
  readonly tariff: TokenTariff;
}

/** A model with the tokens that a request may cost there. */
export interface SizedModel extends PricedModel {
  readonly bound: TokenQuantities;
}

/** At least one, in their order. */
type Several<Model> = readonly [Model, ...Model[]];

/** The models that may answer a request. */
export interface PricedChat<Model = PricedModel> {
  readonly pin: string | undefined;
  readonly models: Several<Model>;
  /** Models before or between them that may not, and why. */
  readonly passed: readonly PassedModel[];
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
  price(order: ChatOrder): PricedChat {
    const { accountId: account, body, others, routingMode } = order;
    const pin = this.modes.pinnedRig(body, routingMode);
    const wishes = routingWishesOf(body);
    const { preference } = wishes;
    const atMs = this.clock.now();
    const terms = termsOf(others ? [body, ...others] : [body]);
    const models = this.#modelsOf(order, wishes);
    const priced = passing(models, (model): PricedModel => {
      const tariff = tariffOf(this.catalog, model.id, atMs);
      demandPrice(tariff, terms, wishes);
      return { model, tariff, target: { model: model.id, account, pin, preference } };
    });
    return { pin, terms, models: priced.models, passed: priced.passed };
  }

  /** @throws DomainError `context_length_exceeded` */
  size({ body, others }: ChatOrder, priced: PricedChat): PricedChat<SizedModel> {
    const { pin, terms } = priced;
    const sized = passing(priced.models, ({ model, tariff, target }): SizedModel => {
      const bound = others ? boundsOfAll({ body, others }, model) : tokenBounds(body, model);
      return { model, tariff, target, bound };
    });
    return { pin, terms, models: sized.models, passed: [...priced.passed, ...sized.passed] };
  }

  /** The model of the request, and its fallbacks: an adapter is of one model. */
  #modelsOf({ accountId, body }: ChatOrder, { models }: RoutingWishes): readonly ServedModel[] {
    const first = chatModel(this.catalog, body.model, accountId);
    if (models === undefined) {
      if (body.adapter != null || first.fallbacks.length === 0) return [first];
      return [first, ...first.fallbacks.flatMap((id) => this.catalog.model(id, accountId) ?? [])];
    }
    if (body.adapter != null) throw rejectedField('models', 'expected none beside an adapter');
    const others = models.map((id, n) => {
      const found = this.catalog.model(id, accountId);
      if (found) return found;
      throw rejectedField(
        `models[${n}]`,
        `expected a chat model of GET /v1/models, received ${id}`,
      );
    });
    return [...new Map([first, ...others].map((model) => [model.id, model])).values()];
  }

  worstCase(order: ChatOrder, { models, terms }: PricedChat<SizedModel>): WorstCase {
    const { body } = order;
    const [{ tariff }] = models;
    const hasLimit = outputTokensAsked(body) !== null;
    const evidence: ChatHoldEvidence = { modelAsked: body.model };
    if (body.adapter != null) evidence.adapter = body.adapter;
    return {
      purpose: chatProduct.purpose,
      model: body.model,
      lines: heldFor(models, body.model, terms),
      rateCardVersion: tariff.rateCardVersion,
      shrink: hasLimit ? null : { meter: OUTPUT_METER, atLeast: choicesOf(body) },
      evidence,
      pricedAtMs: tariff.atMs,
      requestMsMax: this.limits.requestMsMax,
    };
  }
}

/** Of each meter, the most units and the dearest price that one of the models may have. */
const heldFor = (models: Several<SizedModel>, asked: string, terms: TariffTerms): PriceLine[] => {
  const linesOf = ({ model, tariff, bound }: SizedModel): PriceLine[] => {
    const own = tariff.held(bound, terms);
    return model.id === asked ? own : ofModel(model.id, own);
  };
  if (models.length === 1) return linesOf(models[0]);
  const held = new Map<string, PriceLine>();
  for (const model of models) {
    for (const line of linesOf(model)) {
      const before = held.get(line.meter);
      const quantity = Math.max(line.quantity, before?.quantity ?? 0);
      const dearer = before && !isAbove(line, before) ? before : line;
      held.set(line.meter, { ...dearer, quantity });
    }
  }
  return [...held.values()];
};

/** @throws RejectedRequestError where the standard price is above what the caller allows */
const demandPrice = (
  tariff: TokenTariff,
  terms: TariffTerms,
  { maxPrice }: RoutingWishes,
): void => {
  if (!maxPrice) return;
  const one = { promptTokens: 1, completionTokens: 1, source: 'provider' } as const;
  const limits = [
    [INPUT_METER, 'prompt', maxPrice.prompt],
    [OUTPUT_METER, 'completion', maxPrice.completion],
  ] as const;
  for (const { meter, unitPriceMicroUsd, perUnits } of tariff.charged(one, terms).lines) {
    // Micro-dollars for a token are dollars for a million tokens.
    const usd = Number(unitPriceMicroUsd) / perUnits;
    const broken = limits.find(([limited, , most]) => limited === meter && usd > most);
    if (!broken) continue;
    const why = `expected at least ${usd}, the price of ${tariff.model}`;
    throw new PriceAboveMaxError(`provider.max_price.${broken[1]}`, why);
  }
};

/**
 * The models for which the step succeeds; others are passed, with the reason.
 * @throws the first error where no model is left, and errors for which the next model is no remedy
 */
export const passing = <Model extends { readonly model: ServedModel } | ServedModel, Next>(
  models: readonly Model[],
  step: (model: Model) => Next,
): { readonly models: Several<Next>; readonly passed: readonly PassedModel[] } => {
  // Most requests have one model: its error is the answer, whatever the reason.
  if (hasOne(models) && models.length === 1) return { models: [step(models[0])], passed: [] };
  const passed: PassedModel[] = [];
  const left: Next[] = [];
  let firstError: Error | undefined;
  for (const model of models) {
    try {
      left.push(step(model));
    } catch (error) {
      const reason = passedReasonOf(error);
      if (!reason || !Error.isError(error)) throw error;
      firstError ??= error;
      passed.push({ model: 'model' in model ? model.model.id : model.id, reason });
    }
  }
  if (!hasOne(left)) throw firstError ?? new Error('a request without a model');
  return { models: left, passed };
};

const hasOne = <Model>(models: readonly Model[]): models is Several<Model> => models.length > 0;
