import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { FollowerQueue } from '../follower-queue.js';
import { unitsOf } from './log-client.js';
import { type LogPage } from './log.reader.js';

/** What came over the wire together. */
export interface ArrivedGroup {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, the server's own included. */
  readonly position: Position;
}

/** One subscription's place in the log, and what waits there for its consumer. */
export class Follower {
  readonly #over = new AbortController();
  /** More than a page: the reader of its pages says so. */
  isFarBehind = false;
  readonly #queue = new FollowerQueue();
  #position: Position;
  #live = false;

  constructor(
    after: Position,
    readonly filter: EventFilter | undefined,
  ) {
    this.#position = after;
  }

  /** Everything up to here has been read or waits here. */
  get position(): Position {
    return this.#position;
  }

  /** Gets what arrives; one who is not live reads. */
  get live(): boolean {
    return this.#live;
  }

  /** Aborted when it is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** What has arrived waits here if there is room. */
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

  /** All that waits, as one batch; null when nothing does. */
  take(): SubscriptionBatch | null {
    const taken = this.#queue.take();
    return taken && { ...taken, caughtUp: this.#live };
  }

  /** What was read after its place; `live` when everything later will be offered. */
  advance({ events, position }: LogPage, live: boolean): SubscriptionBatch {
    const wanted = events.filter((event) => this.#wants(event));
    this.#position = position;
    this.#live = live;
    return { events: wanted, position, caughtUp: live };
  }

  /** Resolves when there is something to take or to read, or when it is over. */
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
