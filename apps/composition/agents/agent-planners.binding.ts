import {
  type PlannerAnswer,
  type PlannerModel,
  Planners,
  type PlannerStyle,
} from '#areas/agents/planning/planners.port.js';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { checkChat } from '#areas/inference/checked-chat.js';
import { modelOf } from '#areas/inference/reply.js';
import { needsOf } from '#areas/inference/rigs/chat-features.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type RoutingModes } from '#areas/inference/routing-modes.js';
import { promptTokensBound } from '#areas/inference/token-bound.js';
import { upstreamBody } from '#areas/inference/upstream-body.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The models of the catalog, asked by the rules of interactive chats, without a hold. */
export class CatalogPlanners extends Planners {
  constructor(
    private readonly catalog: Pick<Catalog, 'rigs' | 'model' | 'rateFor' | 'idOf'>,
    private readonly router: Pick<RigRouter, 'complete' | 'rejectFields'>,
    private readonly modes: Pick<RoutingModes, 'pinnedRig'>,
  ) {
    super();
  }

  override find(id: string, atMs: number): PlannerModel | undefined {
    const found = this.catalog.model(id);
    const model = found?.kind === 'chat' ? found : undefined;
    const tariff = model && TokenTariff.at(this.catalog, model.id, atMs);
    if (!tariff) return undefined;
    return {
      id: model.id,
      style: this.#styleOf(model),
      contextTokens: model.contextTokens,
      outputTokensMax: model.maxOutputTokens,
      tariff,
    };
  }

  override promptTokensBound(body: JsonObject): number {
    const { model, messages, ...rest } = body;
    const found = typeof model === 'string' ? this.catalog.model(model) : undefined;
    if (!found) throw new Error('the bound of a prompt needs a model of the catalog');
    const asked = { ...rest, model: found.id, messages: messages as never };
    return promptTokensBound(asked, found);
  }

  override async ask(
    asked: JsonObject,
    promptTokensMax: number,
    signal: AbortSignal,
  ): Promise<PlannerAnswer> {
    const { body, model, target, bound } = checkChat(asked, this.catalog, this.router, this.modes);
    const request = { body: upstreamBody(body, model, bound), promptTokensMax };
    const route = { ...target, needs: needsOf(body), request: () => request };
    const { answer, rig } = await this.router.complete(route, signal);
    const { completion, usage } = answer;
    return { completion, usage, rig, modelAnswered: modelOf(completion) };
  }

  /** An embedded model is held to a schema; upstreams call functions. */
  #styleOf({ rigs }: CatalogModel): PlannerStyle {
    const embedded = this.catalog.rigs().filter(({ kind }) => kind === 'embedded');
    return embedded.some(({ name }) => rigs.includes(name)) ? 'schema' : 'functions';
  }
}
