import {
  type EventFilter,
  type Position,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { EventStoreDbSubscription } from './eventstoredb-subscription.js';
import {
  type LogPage,
  type EventStoreDbLogReader,
  PAGE_EVENTS_MAX,
} from './eventstoredb-log-reader.js';
import { TailSubscription, type TailSubscriptionOptions } from './tail-subscription.js';

/**
 * Feeds all subscriptions of this process from one subscription to the whole log: each event comes
 * over the wire and is decoded once. One that is behind or slow reads pages until it has caught up.
 *
 * The server's subscription has no filter, so that its position moves with every event: checkpoints
 * of a filtered subscription come every so many events, run ahead of the events delivered, and need
 * not reach the head of the log, for which callers wait.
 */
export class EventStoreDbSubscriptions {
  readonly #reader: EventStoreDbLogReader;
  readonly #options: TailSubscriptionOptions;
  readonly #subscriptions = new Set<EventStoreDbSubscription>();
  /** Live subscriptions have been offered everything up to its position. */
  #tail: TailSubscription | null = null;

  constructor(reader: EventStoreDbLogReader, options: TailSubscriptionOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** @param closing ends it like the signal of the options */
  async *subscribe(
    { after, filter, signal }: SubscribeOptions,
    closing: AbortSignal,
  ): AsyncGenerator<SubscriptionBatch> {
    const subscription = new EventStoreDbSubscription(after ?? 0n, filter);
    const stop = () => subscription.end();
    const ends = AbortSignal.any([signal, closing]);
    ends.addEventListener('abort', stop);
    if (ends.aborted) stop();
    this.#subscriptions.add(subscription);
    try {
      while (!subscription.over.aborted) {
        const batch = subscription.take() ?? (await this.#next(subscription));
        if (batch !== null) yield batch;
      }
    } finally {
      ends.removeEventListener('abort', stop);
      this.#leave(subscription);
    }
  }

  async #next(subscription: EventStoreDbSubscription): Promise<SubscriptionBatch | null> {
    if (subscription.live) {
      await subscription.news();
      return null;
    }
    const page = await this.#read(subscription);
    if (page === null) return null;
    const live = page.atHead && this.#follows(page.position);
    const moved = live || page.position > subscription.position;
    const batch = subscription.advance(page, live);
    return moved ? batch : null;
  }

  /** Null when the subscription has ended. An outage only delays the page. */
  async #read(subscription: EventStoreDbSubscription): Promise<LogPage | null> {
    const { position, filter, over } = subscription;
    try {
      const page =
        subscription.isFarBehind && filter !== undefined
          ? await this.#leap(position, filter, over)
          : await this.#reader.log(position, PAGE_EVENTS_MAX, undefined, over);
      subscription.isFarBehind = !page.atHead;
      return over.aborted ? null : page;
    } catch (error) {
      if (over.aborted) return null;
      throw error;
    }
  }

  /**
   * Far behind, the server filters. A page that ends at the head has covered everything up to the
   * head that was read before it.
   */
  async #leap(after: Position, filter: EventFilter, over: AbortSignal): Promise<LogPage> {
    const head = await this.#reader.head();
    const page = await this.#reader.log(after, PAGE_EVENTS_MAX, filter, over);
    return page.atHead && head > page.position ? { ...page, position: head } : page;
  }

  /** Whether everything after this position will be offered. The first call starts the tail. */
  #follows(position: bigint): boolean {
    this.#tail ??= new TailSubscription(this.#options, position, (group) => {
      for (const subscription of this.#subscriptions) subscription.offer(group);
    });
    return position >= this.#tail.position;
  }

  #leave(subscription: EventStoreDbSubscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    this.#tail?.end();
    this.#tail = null;
  }
}
