import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { halfUp, PICO_USD_PER_MICRO_USD, type PicoUsd } from '#platform/kernel/pico-usd.js';
import { type ChatRequest, type JsonObject, type KeyAffinity, RigError } from './chat-backend.js';
import { type CostField, type CostSink } from './cost-sink.js';
import { type RouteAttempt } from './route-error.js';

/** The cost of a model on one rig. */
export interface RigModelCost {
  /** Null: unknown. */
  readonly price: TokenPrice | null;
  /** Null: the rig states no cost. */
  readonly field: CostField | null;
}

/** Whom an attempt worked for. */
export interface Asker {
  /** The catalog id of the model. */
  readonly model: string;
  readonly account?: string;
  /** The hold that pays for it, where one request is one hold. */
  readonly holdId?: string;
  /** Absent: the caller named none. */
  readonly trace?: string | undefined;
}

/** One attempt that reached a rig, whether a customer pays for it or not. */
export interface RigAttempt {
  /** Null: work of the platform itself. */
  readonly account: string | null;
  readonly holdId: string | null;
  readonly model: string;
  /** The model id in the request to the rig. */
  readonly sent: string;
  readonly rig: string;
  readonly outcome: RouteAttempt['outcome'];
  /** Null: neither stated nor counted. */
  readonly usage: Usage | null;
  /** Null: unknown. `computed`: from the purchase price of the catalog. */
  readonly cost: { readonly basis: 'stated' | 'computed'; readonly picoUsd: PicoUsd } | null;
  readonly trace?: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Called once for each attempt that reached a rig; it must neither wait nor throw. */
export type AttemptObserver = (attempt: RigAttempt) => void;

/** Observes one attempt at one rig. */
export class AttemptMeter {
  /** Of a request with a session. */
  keys: KeyAffinity | undefined;
  /** Called with the usage of an answer that is whole. */
  onAnswered: ((usage: Usage) => void) | undefined;
  #stated: PicoUsd | null = null;
  #isOver = false;
  #sent = '';
  #startedAtMs = 0;

  constructor(
    private readonly observe: AttemptObserver,
    private readonly clock: Clock,
    private readonly rig: string,
    private readonly cost: RigModelCost | undefined,
    private readonly asker: Asker,
    private readonly signal: AbortSignal,
  ) {}

  /** The request as it goes to the rig, with sinks for the cost that it states and for its key. */
  sending<Request extends { readonly body: JsonObject }>(
    request: Request,
  ): Request & Pick<ChatRequest, 'cost' | 'keys' | 'trace'> {
    this.#startedAtMs = this.clock.now();
    const model = request.body['model'];
    this.#sent = typeof model === 'string' ? model : this.asker.model;
    const field = this.cost?.field;
    const cost = field ? this.#sinkOf(field) : undefined;
    return { ...request, cost, keys: this.keys, trace: this.asker.trace };
  }

  #sinkOf(field: CostField): CostSink {
    const stated = (cost: PicoUsd): void => {
      this.#stated = cost;
    };
    return { field, stated };
  }

  /** A stream that the signal cut ends with its usage, too. */
  answered(usage: Usage): void {
    this.#end(this.signal.aborted ? 'cancelled' : 'answered', usage);
  }

  /** The caller left before the end of the answer. */
  abandoned(): void {
    this.#end('cancelled', null);
  }

  /** Ignores an error that is no failure of a rig, and a failure to reach it. */
  failed(error: unknown): void {
    if (!(error instanceof RigError)) return;
    const { used, unbilled, isSent = false } = error.details;
    if (error.kind === 'unreachable' && !isSent) return;
    if (error.kind === 'cancelled' && !used) return;
    this.#end(error.kind, used ?? unbilled ?? null);
  }

  #end(outcome: RigAttempt['outcome'], usage: Usage | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (outcome === 'answered' && usage) this.onAnswered?.(usage);
    const { account = null, holdId = null, model, trace } = this.asker;
    this.observe({
      account: account === '' ? null : account,
      holdId,
      model,
      sent: this.#sent,
      rig: this.rig,
      outcome,
      usage,
      cost: this.#costOf(usage),
      trace,
      startedAtMs: this.#startedAtMs,
      endedAtMs: this.clock.now(),
    });
  }

  /** A provider bills the cost that it states; a price of the catalog may be out of date. */
  #costOf(usage: Usage | null): RigAttempt['cost'] {
    if (this.#stated !== null) return { basis: 'stated', picoUsd: this.#stated };
    const price = this.cost?.price;
    if (!price || !usage) return null;
    return {
      basis: 'computed',
      picoUsd: computedCost(usage, price, this.asker.model, this.clock.now()),
    };
  }
}

/** Further models of an answer have no purchase price here: they cost as much as this one. */
const NO_RATES = { rateFor: () => undefined, idOf: () => undefined };

/** The exact price of the tokens, in the service tier and the place that the rig states. */
const computedCost = (usage: Usage, price: TokenPrice, model: string, atMs: number): PicoUsd => {
  const rate = { ...price, version: 0, batchDiscountPercent: 0 };
  const { serviceTier: service, residency } = usage;
  const { lines } = new TokenTariff(NO_RATES, model, rate, atMs).charged(usage, {
    hasMedia: true,
    ...(service !== undefined && { service }),
    ...(residency !== undefined && { residency }),
  });
  return lines.reduce(
    (sum, { quantity, unitPriceMicroUsd, perUnits }) =>
      sum +
      halfUp(
        BigInt(quantity) * BigInt(unitPriceMicroUsd) * PICO_USD_PER_MICRO_USD,
        BigInt(perUnits),
      ),
    0n,
  );
};
