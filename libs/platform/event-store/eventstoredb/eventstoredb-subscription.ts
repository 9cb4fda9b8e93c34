import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { SubscriptionQueue } from '../subscription-queue.js';
import { unitsOf } from './log-client.js';
import { type LogPage } from './eventstoredb-log-reader.js';

/** Events that arrived in one turn of the event loop. */
export interface ArrivedGroup {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, the server's own included. */
  readonly position: Position;
}

/** The position of one subscription in the log, and the buffer for its consumer. */
export class EventStoreDbSubscription {
  readonly #over = new AbortController();
  /** More than a page; set after each page. */
  isFarBehind = false;
  readonly #queue = new SubscriptionQueue();
  #position: Position;
  #live = false;

  constructor(
    after: Position,
    readonly filter: EventFilter | undefined,
  ) {
    this.#position = after;
  }

  /** Everything up to here has been read or is buffered. */
  get position(): Position {
    return this.#position;
  }

  /** A live subscription gets the groups that arrive; the others read pages. */
  get live(): boolean {
    return this.#live;
  }

  /** Aborted when the subscription ends. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Buffers a group if there is room. */
  offer({ events, position }: ArrivedGroup): void {
    if (!this.#live || position <= this.#position) return;
    const wanted = events.filter((event) => this.#wants(event));
    const units = wanted.reduce((sum, { data }) => sum + unitsOf(data), 0);
    if (this.#queue.hasRoomFor(wanted.length, units)) {
      this.#position = position;
      this.#queue.add({ events: wanted, position, units });
    } else this.#live = false;
    this.#queue.wake();
  }

  /** Everything buffered, as one batch, or null. */
  take(): SubscriptionBatch | null {
    const taken = this.#queue.take();
    return taken && { ...taken, caughtUp: this.#live };
  }

  /** Takes a page; `live` when every later group will be offered. */
  advance({ events, position }: LogPage, live: boolean): SubscriptionBatch {
    const wanted = events.filter((event) => this.#wants(event));
    this.#position = position;
    this.#live = live;
    return { events: wanted, position, caughtUp: live };
  }

  /** Resolves when there is something to take or to read, or at the end. */
  news(): Promise<void> {
    return this.#queue.news();
  }

  end(): void {
    this.#over.abort();
    this.#queue.clear();
    this.#queue.wake();
  }

  #wants(event: RecordedEvent): boolean {
    if (event.position <= this.#position) return false;
    return this.filter === undefined || passes(this.filter, event);
  }
}
