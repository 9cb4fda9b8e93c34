import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LeftHold,
  type PlacedHold,
  type Release,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext, contextOf } from '#platform/runtime/command-context.js';
import { ChatAdapters } from './chat-adapters.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { ChatAdmission, type ChatOrder } from './chat-admission.js';
import { type ChatStrategy } from './chat-strategies.js';
import { CompleteChatHandler } from './complete-chat.handler.js';
import { type ModelCatalog, type ServedModel, type TokenQuantities } from './ports.js';
import { type ChatChunk, type JsonObject, type Usage } from './rigs/chat-backend.js';
import { type RigRouter, type RouteOrder, type RouteTarget } from './rigs/rig-router.js';
import { StreamChatHandler } from './stream-chat.handler.js';
import { type ChatBody } from './token-bound.js';
import { linesOf, tokensIn } from './token-lines.js';

export const NOW = '2026-11-21T05:00:00.000Z';
export const REQUEST_MS_MAX = 600_000;
export const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const llama: ServedModel = {
  id: 'acme/llama-70b',
  upstreamId: 'llama-70b',
  contextTokens: 8_192,
  maxOutputTokens: 4_096,
  chargesCancelled: true,
};

export const rate = {
  version: 3,
  inputMicroUsdPerMtok: 150_000n,
  outputMicroUsdPerMtok: 600_000n,
  batchDiscountPercent: 50,
};

/** The lines of a hold or a charge for so many tokens. */
export const linesFor = (inputTokens: number, outputTokens: number) =>
  linesOf({ inputTokens, outputTokens }, rate);

export const question: ChatBody = {
  model: llama.id,
  messages: [{ role: 'user', content: 'What is a quipu?' }],
  max_tokens: 100,
};

export const orderOf = (body: Partial<ChatBody> = {}, routingMode = 'auto'): ChatOrder => ({
  accountId: '7',
  receivedAtMs: Date.parse(NOW),
  body: { ...question, ...body },
  routingMode,
  context: contextOf(REQUEST_ID, 'user:7'),
});

type LedgerCall =
  | { readonly call: 'place'; readonly hold: HoldOrder }
  | { readonly call: 'capture'; readonly capture: Capture }
  | { readonly call: 'release'; readonly release: Release }
  | { readonly call: 'settle'; readonly left: LeftHold; readonly context: CommandContext };

/** Records its calls; can be made to reject, and to cover less than was asked. */
export class RememberingLedger extends Ledger {
  readonly calls: LedgerCall[] = [];
  covers: Partial<TokenQuantities> = {};
  readonly failures: Partial<Record<LedgerCall['call'] | 'demandFunds', Error>> = {};
  /** What it finds of holds that were left. */
  found: HoldEnd = 'free';

  override demandFunds(): void {
    if (this.failures.demandFunds) throw this.failures.demandFunds;
  }

  override place(hold: HoldOrder): Promise<PlacedHold> {
    this.calls.push({ call: 'place', hold });
    return this.#answer('place', {
      lines: linesOf({ ...tokensIn(hold.lines), ...this.covers }, rate),
      amountMicroUsd: 42n,
      expiresAt: hold.expiresAt,
      availableMicroUsd: 958n,
    });
  }

  override renew(): Promise<PlacedHold> {
    return Promise.reject(new Error('a chat renews no hold'));
  }

  override capture(capture: Capture) {
    this.calls.push({ call: 'capture', capture });
    const entry = { eventId: 'e', chargedMicroUsd: 42n, availableMicroUsd: 958n };
    return this.#answer('capture', entry);
  }

  override release(release: Release): Promise<void> {
    this.calls.push({ call: 'release', release });
    return this.#answer('release', undefined);
  }

  override settle(left: LeftHold, context: CommandContext): Promise<HoldEnd> {
    this.calls.push({ call: 'settle', left, context });
    return this.#answer('settle', this.found);
  }

  /** The calls after the hold: `capture completed`, `release client_gone`, … */
  get ends(): readonly string[] {
    return this.calls.flatMap((one) => {
      switch (one.call) {
        case 'place':
        case 'settle':
          return [];
        case 'capture':
          return [`capture ${one.capture.outcome}`];
        case 'release':
          return [`release ${one.release.reason}`];
      }
    });
  }

  get placed(): HoldOrder {
    const found = this.calls.find((one) => one.call === 'place');
    if (!found) throw new Error('nothing was placed');
    return found.hold;
  }

  get captured(): Capture {
    const found = this.calls.find((one) => one.call === 'capture');
    if (!found) throw new Error('nothing was captured');
    return found.capture;
  }

  #answer<T>(call: LedgerCall['call'], value: T): Promise<T> {
    const failure = this.failures[call];
    return failure ? Promise.reject(failure) : Promise.resolve(value);
  }
}

/** What a rig does with a stream: its pages, then how it ends. */
export type Script = (signal: AbortSignal) => AsyncGenerator<readonly ChatChunk[], Usage, void>;

/** One rig that answers by its script. */
export class ScriptedRigs implements RigRouter {
  readonly asked: RouteOrder[] = [];
  /** How many ledger calls there were when a rig was asked. */
  onAsked: () => void = () => undefined;
  completion: () => Promise<{ readonly completion: JsonObject; readonly usage: Usage }> = () =>
    Promise.reject(new Error('no answer was scripted'));
  script: Script | Error = new Error('no stream was scripted');
  /** What `check` throws. */
  rejection: Error | null = null;
  readonly checked: RouteTarget[] = [];

  check(target: RouteTarget): void {
    this.checked.push(target);
    if (this.rejection) throw this.rejection;
  }

  refuseFields(target: RouteTarget): void {
    this.check(target);
  }

  async complete(order: RouteOrder) {
    this.#ask(order);
    return { answer: await this.completion(), rig: 'local-vllm', attempts: [answered] };
  }

  embed(): Promise<never> {
    return Promise.reject(new Error('these rigs make no embeddings'));
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
  waiting = () => 0;
  close = () => Promise.resolve();

  get body(): JsonObject {
    const [order] = this.asked;
    if (!order) throw new Error('no rig was asked');
    return order.requestFor('local-vllm').body;
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

/** The area on ports that remember. */
export const openInference = (strategy?: ChatStrategy) => {
  const ledger = new RememberingLedger();
  const rigs = new ScriptedRigs();
  const hash = (text: string): string => `hash of ${text}`;
  const catalog = {
    model: (id: string): ServedModel | undefined =>
      id === llama.id || id === 'acme/unpriced' ? { ...llama, id } : undefined,
    rateFor: (id: string) => (id === llama.id ? rate : undefined),
  } satisfies ModelCatalog;
  const limits = { requestMsMax: REQUEST_MS_MAX, settleMsMax: 60_000 };
  const clock = { now: () => Date.parse(NOW) };
  const adapters = new ScriptedAdapters();
  const admission = new ChatAdmission(catalog, ledger, hash, limits, clock, rigs, adapters);
  const strategies = { of: () => strategy };
  const chats = new CompleteChatHandler(admission, rigs, hash, strategies);
  const streams = new StreamChatHandler(admission, rigs, hash, strategies);
  const controller = new AbortController();
  return {
    ledger,
    rigs,
    adapters,
    admission,
    catalog,
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
