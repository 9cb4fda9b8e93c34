import { type Logger } from 'pino';
import {
  catalogEvents,
  RateCardPublished,
  type RateCardEvent,
} from '#events/catalog/rate-card.events.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LogRunner } from '#platform/runtime/subscriptions/log-runner.js';
import { PollingRunner } from '#platform/runtime/subscriptions/polling-runner.js';
import { type SubscriptionHandler } from '#platform/runtime/subscriptions/subscription-handler.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import { type TokenPrice } from '#events/token-price.vocabulary.js';

export interface RateCard {
  readonly version: number;
  readonly effectiveFromMs: number;
  /** By model id, as the catalog that published it has them. */
  readonly prices: Readonly<Record<string, TokenPrice>>;
  /** By model id. */
  readonly rates: ReadonlyMap<string, TokenRate>;
  readonly meters: MeterPriceList;
}

/** Time-out for reading back a card that this process has just published. */
const REACH_TIMEOUT_MS = 10_000;

/**
 * Every rate card, in memory and updated from the log: a lookup does not wait, and a card that any
 * process published applies in all of them.
 */
export class RateCards {
  /** In order of version, and so of `effectiveFromMs`. */
  readonly #cards: RateCard[] = [];
  readonly #firstPricedMs = new Map<string, number>();
  readonly #runner: LogRunner;
  readonly #codec: CodecOf<RateCardEvent>;
  #position: Position | undefined;
  #onCard: () => void = () => undefined;

  /** @param pollMs interval of asking the log for new cards, instead of subscribing to all of it */
  constructor(
    eventStore: EventStore,
    codec: EventCodec,
    clock: Clock,
    logger: Logger,
    pollMs?: number,
  ) {
    this.#codec = codec.for(catalogEvents);
    const handler: SubscriptionHandler = {
      name: 'catalog.rate-cards',
      types: [RateCardPublished.type],
      checkpoint: () => Promise.resolve(this.#position),
      // eslint-disable-next-line @typescript-eslint/require-await -- exceptions must reject
      handle: async (batch) => this.#fold(batch),
    };
    this.#runner =
      pollMs === undefined
        ? new SubscriptionRunner(handler, eventStore, clock, logger)
        : new PollingRunner(handler, eventStore, pollMs, logger);
  }

  /** @param onCard called after each new card, of any process */
  start(onCard: () => void): void {
    this.#onCard = onCard;
    this.#runner.start();
  }

  async stop(): Promise<void> {
    await this.#runner.stop();
  }

  /** @throws Error when the log cannot be read up to `position` in time */
  async reach(position: Position): Promise<void> {
    if (await this.#runner.reach(position, REACH_TIMEOUT_MS)) return;
    const { failure } = this.#runner.status();
    throw new Error(`rate cards have not been read up to ${position}: ${failure ?? 'too slow'}`);
  }

  /** Why the log cannot be read now, or null. */
  failure(): string | null {
    return this.#runner.status().failure;
  }

  /** The card that was published last, by any process. */
  newest(): RateCard | undefined {
    return this.#cards.at(-1);
  }

  /** The rate in force at an instant; undefined for a model that was not on sale then. */
  rateFor(modelId: string, atEpochMs: number): TokenRate | undefined {
    return this.#inForce(atEpochMs)?.rates.get(modelId);
  }

  /** The prices of meters in force at an instant; undefined before the first card. */
  metersAt(atEpochMs: number): MeterPriceList | undefined {
    return this.#inForce(atEpochMs)?.meters;
  }

  /** When a model was on a card for the first time; undefined for one that never was. */
  firstPricedMs(modelId: string): number | undefined {
    return this.#firstPricedMs.get(modelId);
  }

  #inForce(atEpochMs: number): RateCard | undefined {
    for (let index = this.#cards.length - 1; index >= 0; index -= 1) {
      const card = this.#cards[index];
      if (card && card.effectiveFromMs <= atEpochMs) return card;
    }
    return undefined;
  }

  #fold({ events, position }: SubscriptionBatch): void {
    const known = this.#cards.length;
    for (const recorded of events) {
      if (recorded.type !== RateCardPublished.type) continue;
      this.#add(this.#codec.revive(recorded));
      this.#position = recorded.position;
    }
    this.#position = position;
    if (this.#cards.length > known) this.#onCard();
  }

  #add({ data }: RateCardEvent): void {
    const { version, prices, meterPrices, batchDiscountPercent } = data;
    const rates = new Map<string, TokenRate>();
    for (const [modelId, price] of Object.entries(prices)) {
      rates.set(modelId, { ...price, version, batchDiscountPercent });
      if (!this.#firstPricedMs.has(modelId)) {
        this.#firstPricedMs.set(modelId, Date.parse(data.publishedAt));
      }
    }
    const meters = { rateCardVersion: version, prices: new Map(Object.entries(meterPrices)) };
    const effectiveFromMs = Date.parse(data.effectiveFrom);
    this.#cards.push({ version, effectiveFromMs, prices, rates, meters });
  }
}
