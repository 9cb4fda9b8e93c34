import { NO_GUARDS } from '#platform/chats/chat-guards.fake.js';
import { type ChatGuards } from '#platform/chats/chat-guards.port.js';
import { NOW, orderOf } from '#platform/chats/chat-order.fixture.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatCache } from './cache/chat-cache.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';
import { heldTokenLines } from '#platform/ledger/token-price.js';
import { ChatAdapters } from './chat-adapters.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { ChatAdmission } from './chat-admission.js';
import { ChatPricing } from './chat-pricing.js';
import { type ChatStrategies } from './chat-strategies.js';
import { CompleteChatHandler } from './complete-chat.handler.js';
import { DescribedPictures } from './pictures/described-pictures.js';
import { type PictureDescriber } from './pictures/picture-describer.port.js';
import { type ModelCatalog, type ServedModel } from './ports.js';
import { type ChatChunk, type JsonObject } from './rigs/chat-backend.js';
import { type RouteTarget } from './rigs/rig-candidates.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { type RigRouter } from './rigs/rig-router.js';
import { RoutingModes } from './routing-modes.js';
import { StreamChatHandler } from './stream-chat.handler.js';

export const REQUEST_MS_MAX = 600_000;

export const llama: ServedModel = {
  id: 'acme/llama-70b',
  upstreamId: 'llama-70b',
  sendsDefaults: true,
  fallbacks: [],
  contextTokens: 8_192,
  maxOutputTokens: 4_096,
  chargesCancelled: true,
};

export const rate: TokenRate = {
  version: 3,
  inputMicroUsdPerMtok: '150000',
  outputMicroUsdPerMtok: '600000',
  batchDiscountPercent: 50,
};

/** The lines of a hold or a charge for these tokens. */
export const linesFor = (inputTokens: number, outputTokens: number) =>
  heldTokenLines({ inputTokens, outputTokens }, rate);

/** The script of a rig's stream: its pages, then its end. */
export type Script = (signal: AbortSignal) => AsyncGenerator<readonly ChatChunk[], Usage, void>;

/** One rig that answers by its script. */
export class ScriptedRigs implements RigRouter {
  speaks: RigRouter['speaks'] = () => false;

  readonly asked: RouteOrder[] = [];
  /** How many ledger calls there were when a rig was asked. */
  onAsked: () => void = () => undefined;
  completion: () => Promise<{ readonly completion: JsonObject; readonly usage: Usage }> = () =>
    Promise.reject(new Error('no answer was scripted'));
  script: Script | Error = new Error('no stream was scripted');
  /** The error that `check` throws. */
  rejection: Error | null = null;
  readonly checked: RouteTarget[] = [];

  check(target: RouteTarget): void {
    this.checked.push(target);
    if (this.rejection) throw this.rejection;
  }

  rejectFields(target: RouteTarget): void {
    this.check(target);
  }

  async complete(order: RouteOrder) {
    this.#ask(order);
    return { answer: await this.completion(), rig: 'local-vllm', attempts: [answered] };
  }

  count(): Promise<null> {
    return Promise.resolve(null);
  }

  embed(): Promise<never> {
    return Promise.reject(new Error('these rigs make no embeddings'));
  }

  score(): Promise<never> {
    return Promise.reject(new Error('these rigs make no scores'));
  }

  stream(order: RouteOrder, signal: AbortSignal) {
    this.#ask(order);
    if (this.script instanceof Error) return Promise.reject(this.script);
    return Promise.resolve({
      pages: this.script(signal),
      rig: 'local-vllm',
      attempts: [answered],
    });
  }

  status = () => [];
  ranking = () => [];
  waiting = () => 0;
  close = () => Promise.resolve();

  get body(): JsonObject {
    const [order] = this.asked;
    if (!order) throw new Error('no rig was asked');
    return order.request().body;
  }

  #ask(order: RouteOrder): void {
    this.onAsked();
    this.asked.push(order);
  }
}

const answered = {
  rig: 'local-vllm',
  startedMs: 0,
  endedMs: 5,
  outcome: 'answered',
} as const;

/** Knows one adapter, and remembers who asked. */
class ScriptedAdapters extends ChatAdapters {
  readonly asked: unknown[] = [];

  place(accountId: string, adapter: string, modelId: string): Promise<TextAdapter> {
    this.asked.push({ accountId, adapter, modelId });
    if (adapter === 'pirate') return Promise.resolve({ file: '/adapters/pirate.gguf', scale: 1 });
    return Promise.reject(new DomainError('adapter_not_found', `there is no adapter ${adapter}`));
  }
}

const CLOCK = { now: () => Date.parse(NOW) };

/** Rigs answer every chat. */
const NONE = { of: () => undefined };

/** Of the area, for a cache. */
export interface CacheParts {
  readonly catalog: ModelCatalog;
  readonly paid: PaidRequests;
  readonly limits: { readonly requestMsMax: number };
  readonly hash: (text: string) => string;
}

/** No rule applies. */

const NO_CACHE = { placeOf: () => undefined } as unknown as ChatCache;

interface Given {
  readonly strategies?: Pick<ChatStrategies, 'of'>;
  readonly clock?: Clock;
  readonly paid?: PaidRequests;
  /** Beside `llama`, each with its rate, or instead of it. */
  readonly models?: readonly (readonly [ServedModel, TokenRate])[];
  /** Default: nothing is kept. */
  readonly cacheOn?: (parts: CacheParts) => ChatCache;
  /** Default: no rule applies. */
  readonly guards?: ChatGuards;
  /** Default: no picture is described. */
  readonly describer?: PictureDescriber;
}

/** The area on ports that remember. */
export const openInference = ({ strategies = NONE, clock = CLOCK, ...given }: Given = {}) => {
  const ledger = new FakeLedger();
  const { guards = NO_GUARDS } = given;
  const { paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock) } = given;
  const rigs = new ScriptedRigs();
  const hash = (text: string): string => `hash of ${text}`;
  const rates: { current: TokenRate } = { current: rate };
  const offered = new Map(given.models?.map(([model, rate]) => [model.id, { model, rate }]));
  const catalog = {
    model: (id: string): ServedModel | undefined =>
      offered.get(id)?.model ??
      (id === llama.id || id === 'acme/unpriced' ? { ...llama, id } : undefined),
    rateFor: (id: string) => offered.get(id)?.rate ?? (id === llama.id ? rates.current : undefined),
    idOf: (name: string) => (name === llama.upstreamId ? llama.id : undefined),
  } satisfies ModelCatalog;
  const limits = { requestMsMax: REQUEST_MS_MAX };
  const adapters = new ScriptedAdapters();
  const modes = new RoutingModes(new Areas([]));
  const pricing = new ChatPricing(catalog, modes, limits, clock);
  const pictures = new DescribedPictures(rigs, given.describer);
  const admission = new ChatAdmission(pricing, paid, hash, rigs, adapters, pictures);
  const cache = given.cacheOn?.({ catalog, paid, limits, hash }) ?? NO_CACHE;
  const chats = new CompleteChatHandler(admission, rigs, hash, strategies, cache, guards);
  const streams = new StreamChatHandler(admission, rigs, hash, strategies, cache, clock, guards);
  const controller = new AbortController();
  return {
    ledger,
    rigs,
    adapters,
    admission,
    catalog,
    rates,
    modes,
    controller,
    chats,
    streams,
    complete: (order = orderOf()) => chats.execute(order, controller.signal),
    stream: (order = orderOf()) => streams.execute(order, controller.signal),
  };
};

export type Inference = ReturnType<typeof openInference>;

export const insufficient = new DomainError('insufficient_balance', 'too little');

export const usage = (promptTokens: number, completionTokens: number): Usage => ({
  promptTokens,
  completionTokens,
  source: 'provider',
});

export const delta = (content: string): ChatChunk => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'llama-70b-awq',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

export const completionOf = (content: string): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'llama-70b-awq',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
