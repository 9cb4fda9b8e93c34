import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type Position,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { LiveSubscriptions } from '../live-subscriptions.js';
import { LogSubscription } from '../log-subscription.js';
import { unitsOf } from './log-client.js';
import {
  type LogPage,
  type EventStoreDbLogReader,
  PAGE_EVENTS_MAX,
} from './eventstoredb-log-reader.js';
import { TailSubscription, type TailSubscriptionOptions } from './tail-subscription.js';

class PagedSubscription extends LogSubscription {
  /** More than a page; set after each page. */
  isFarBehind = false;
}

/** The events that arrive, and the subscriptions that they are offered to. */
interface Tail {
  readonly live: LiveSubscriptions;
  readonly source: TailSubscription;
}

/**
 * Feeds all subscriptions of this process from one subscription to the whole log: each event comes
 * over the wire and is decoded once. One that is behind or slow reads pages until it has caught up.
 *
 * The server's subscription has no filter, so that its position moves with every event: checkpoints
 * of a filtered subscription are rare, run ahead of the events delivered, and need not reach the
 * head of the log, for which callers wait.
 */
export class EventStoreDbSubscriptions {
  readonly #reader: EventStoreDbLogReader;
  readonly #options: TailSubscriptionOptions;
  /** Live or not. */
  readonly #subscriptions = new Set<PagedSubscription>();
  #tail: Tail | null = null;

  constructor(reader: EventStoreDbLogReader, options: TailSubscriptionOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** @param closing ends it like the signal of the options */
  async *subscribe(
    { signal, ...options }: SubscribeOptions,
    closing: AbortSignal,
  ): AsyncGenerator<SubscriptionBatch> {
    const subscription = new PagedSubscription(options);
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

  async #next(subscription: PagedSubscription): Promise<SubscriptionBatch | null> {
    if (subscription.live) {
      await subscription.news();
      return null;
    }
    const page = await this.#read(subscription);
    if (page === null) return null;
    const { position: before, filter } = subscription;
    const live = page.atHead ? this.#following(page.position) : null;
    live?.join(subscription);
    const events = page.events.filter(
      (event) => event.position > before && (filter === undefined || passes(filter, event)),
    );
    const batch = subscription.advance(events, page.position, live);
    return live !== null || page.position > before ? batch : null;
  }

  /** Null when the subscription has ended. An outage only delays the page. */
  async #read(subscription: PagedSubscription): Promise<LogPage | null> {
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

  /**
   * Those to whom everything after this position will be offered; null where some of it already
   * was. The first call starts the tail.
   */
  #following(position: Position): LiveSubscriptions | null {
    const { live } = (this.#tail ??= this.#startTail(position));
    return position >= live.position ? live : null;
  }

  #startTail(position: Position): Tail {
    const live = new LiveSubscriptions(position);
    const source = new TailSubscription(this.#options, position, (group) => {
      const units = group.events.reduce((sum, { data }) => sum + unitsOf(data), 0);
      live.offer({ ...group, units });
    });
    return { live, source };
  }

  #leave(subscription: PagedSubscription): void {
    this.#subscriptions.delete(subscription);
    this.#tail?.live.leave(subscription);
    if (this.#subscriptions.size > 0) return;
    this.#tail?.source.end();
    this.#tail = null;
  }
}
