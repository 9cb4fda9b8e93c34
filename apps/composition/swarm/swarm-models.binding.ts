import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { checkChat, type CheckedChat } from '#areas/inference/checked-chat.js';
import { replyText } from '#areas/inference/reply.js';
import { needsOf } from '#areas/inference/rigs/chat-features.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { acceptedUsage, RouteError } from '#areas/inference/rigs/route-error.js';
import { type RoutingModes } from '#areas/inference/routing-modes.js';
import { termsOf } from '#areas/inference/token-lines.js';
import { upstreamBody } from '#areas/inference/upstream-body.js';
import { countersIn } from '#areas/swarm/speculative/upstream-speculation.js';
import {
  type AcceptedPart,
  type BoundChat,
  type JsonObject,
  MemberFailedError,
  type ModelAnswer,
  type ModelStream,
  type SpeculationCounters,
  type SwarmModel,
  SwarmModels,
} from '#areas/swarm/swarm-models.port.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';

/** Figures that take longer are not waited for. */
const COUNTERS_MS_MAX = 1_000;
const COUNTERS_BYTES_MAX = 4 * 1024 * 1024;

/** The models of the catalog for chats, asked by the rules of interactive chats, without a hold. */
export class CatalogSwarmModels extends SwarmModels {
  constructor(
    private readonly catalog: Pick<Catalog, 'rigs' | 'models' | 'model' | 'rateFor' | 'idOf'>,
    private readonly router: RigRouter,
    private readonly modes: RoutingModes,
  ) {
    super();
  }

  override list(): readonly SwarmModel[] {
    return this.catalog
      .models()
      .filter(({ kind }) => kind === 'chat')
      .map((model) => this.#swarmModel(model));
  }

  override find(id: string): SwarmModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'chat' ? this.#swarmModel(model) : undefined;
  }

  override tariffOf(id: string, atMs: number): TokenTariff | undefined {
    return TokenTariff.at(this.catalog, id, atMs);
  }

  override boundOf(asked: JsonObject): BoundChat {
    const { body, model, bound } = this.#check(asked);
    this.router.check({ model: model.id }, asked);
    return { ...bound, terms: termsOf([body]) };
  }

  override async ask(asked: JsonObject, rig: string, signal: AbortSignal): Promise<ModelAnswer> {
    try {
      const { answer, rig: answered } = await this.router.complete(
        { ...this.#route(asked), pin: rig },
        signal,
      );
      return { rig: answered, text: replyText(answer.completion), usage: answer.usage };
    } catch (error) {
      if (!(error instanceof RouteError)) throw error;
      throw new MemberFailedError(error.message, { cause: error });
    }
  }

  override async stream(asked: JsonObject, signal: AbortSignal): Promise<ModelStream> {
    const { pages, rig, attempts } = await this.router.stream(this.#route(asked), signal);
    return { pages, rig, attempts: attempts.length };
  }

  override acceptedOf(error: unknown): AcceptedPart | null {
    return acceptedUsage(error instanceof MemberFailedError ? error.cause : error) ?? null;
  }

  override async speculationOf(name: string): Promise<SpeculationCounters | null> {
    const rig = this.catalog.rigs().find((one) => one.name === name);
    if (rig?.kind !== 'openai' || rig.server !== 'vllm') return null;
    const url = `${rig.baseUrl.replace(/\/v1$/, '')}/metrics`;
    // The answer matters more than its figures: what cannot be read is not measured.
    const exposition = await textAt(url).catch(() => null);
    return exposition === null ? null : countersIn(exposition);
  }

  #swarmModel({ rigs, ...model }: CatalogModel): SwarmModel {
    const { id, file, draft, contextTokens, maxOutputTokens, chargesCancelled } = model;
    const statuses = new Map(this.router.status().map((status) => [status.name, status]));
    const byName = new Map(this.catalog.rigs().map((rig) => [rig.name, rig]));
    const serving = rigs.flatMap((name) => byName.get(name) ?? []);
    return {
      id,
      file,
      draft,
      contextTokens,
      maxOutputTokens,
      chargesCancelled,
      rigs: serving.map(({ name, kind }) => ({
        name,
        kind,
        isUp: statuses.get(name)?.breaker !== 'open',
      })),
    };
  }

  #check(asked: JsonObject): CheckedChat {
    return checkChat(asked, this.catalog, this.router, this.modes);
  }

  #route(asked: JsonObject) {
    const { body, model, bound } = this.#check(asked);
    const request = { body: upstreamBody(body, model, bound), promptTokensMax: bound.inputTokens };
    return { model: model.id, needs: needsOf(body), request: () => request };
  }
}

const textAt = async (url: string): Promise<string | null> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(COUNTERS_MS_MAX) });
  if (!response.ok || !response.body) return null;
  const body = response.body as AsyncIterable<Uint8Array>;
  const tooLarge = () => new Error('the figures are too large');
  return (await boundedBytes(body, COUNTERS_BYTES_MAX, tooLarge)).toString('utf8');
};
