import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type ChatStrategy, type ChatStrategyDeclaration } from '#platform/chats/chat-strategy.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { MODEL_CATALOG, type ModelCatalog } from './ports.js';
import { AUTO, rejectCleanroom } from './routing-modes.js';

const NEEDED = 'expected the clean room of the routing_mode';

/** The chat strategies of all areas. */
@Injectable()
export class ChatStrategies {
  readonly #byMode: ReadonlyMap<string, ChatStrategyDeclaration>;

  /** @throws Error for a mode that two strategies answer */
  constructor(
    private readonly areas: Areas,
    @Inject(ModuleRef) private readonly providers: Pick<ModuleRef, 'get'>,
    @Inject(MODEL_CATALOG) private readonly catalog: Pick<ModelCatalog, 'model'>,
  ) {
    this.#byMode = byMode(this.#declared);
  }

  /**
   * Undefined where rigs answer. Called for every chat, so it does not wait.
   * @throws DomainError `model_not_found`; RejectedRequestError for a clean room
   */
  of({ accountId, body, routingMode }: ChatOrder): ChatStrategy | undefined {
    if (routingMode === AUTO) return this.#ofModel(body.model, accountId);
    const declared = this.#byMode.get(routingMode);
    if (!declared) return undefined;
    if (declared.readsCleanroom !== true) rejectCleanroom(body);
    else if (body.cleanroom_uuid == null) throw rejectedField('cleanroom_uuid', NEEDED);
    const strategy = this.#strategyOf(declared);
    this.#demandModel(strategy, body.model);
    return strategy;
  }

  /** Most chats end here: a model of the catalog or of the account, and no mode. */
  #ofModel(model: string, accountId: string): ChatStrategy | undefined {
    if (this.catalog.model(model, accountId)) return undefined;
    const strategies = this.#declared.map((declared) => this.#strategyOf(declared));
    return strategies.find(({ models }) => models?.includes(model));
  }

  #demandModel({ models }: ChatStrategy, model: string): void {
    if (!models || models.includes(model) || this.catalog.model(model)) return;
    throw new DomainError<InferenceErrorCode>(
      'model_not_found',
      `the model ${model} is neither in the catalog (GET /v1/models) nor one of the models of ` +
        `this routing_mode: ${models.join(', ')}`,
    );
  }

  get #declared(): readonly ChatStrategyDeclaration[] {
    return this.areas.list.flatMap(({ chatStrategies }) => chatStrategies);
  }

  #strategyOf({ strategy }: ChatStrategyDeclaration): ChatStrategy {
    return this.providers.get(strategy, { strict: false });
  }
}

const byMode = (
  declared: readonly ChatStrategyDeclaration[],
): ReadonlyMap<string, ChatStrategyDeclaration> => {
  const found = new Map<string, ChatStrategyDeclaration>();
  for (const declaration of declared) {
    for (const mode of declaration.modes) {
      if (found.has(mode)) throw new Error(`two chat strategies answer the mode ${mode}`);
      found.set(mode, declaration);
    }
  }
  return found;
};
