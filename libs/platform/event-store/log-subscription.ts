import { passes } from './event-filter.js';
import {
  type EventFilter,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from './event-store.port.js';
import { type Offered } from './position-demand.js';
import { type EventGroup, SubscriptionQueue } from './subscription-queue.js';

/** The common part of live subscriptions: all were offered everything up to one position. */
export interface LiveLog {
  readonly position: Position;
  awaitPosition(subscription: LogSubscription): void;
}

/**
 * The position of one subscription in the log, and the buffer for its consumer. It reads pages
 * until it has caught up with the log; then it is live, and events are offered to it.
 */
export class LogSubscription {
  readonly filter: EventFilter | undefined;
  readonly #demand: SubscribeOptions['positions'];
  readonly #queue = new SubscriptionQueue();
  readonly #over = new AbortController();
  /** Everything up to here was read, before it was live. */
  #read: Position;
  /** Of the last batch. */
  #delivered: Position;
  /** The position is delivered without a demand, too. */
  #isDue = false;
  #log: LiveLog | null = null;

  constructor({ after = 0n, filter, positions }: Omit<SubscribeOptions, 'signal'>) {
    this.#read = after;
    this.#delivered = after;
    this.filter = filter;
    this.#demand = positions;
    positions?.listen(
      () => {
        this.#log?.awaitPosition(this);
        this.wake();
      },
      () => this.#offered(),
    );
  }

  /** Everything up to here has been read or offered. */
  get position(): Position {
    const offered = this.#log?.position ?? 0n;
    return offered > this.#read ? offered : this.#read;
  }

  get live(): boolean {
    return this.#log !== null;
  }

  /** Aborted when the subscription ends. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Takes the page that was read up to `position`. @param log null while it is behind */
  advance(
    events: readonly RecordedEvent[],
    position: Position,
    log: LiveLog | null,
  ): SubscriptionBatch {
    this.#read = position;
    this.#log = log;
    return this.#batch(events, position);
  }

  /** Buffers an event that fits the type of its filter. @returns false where there is no room */
  offer(event: RecordedEvent, group: EventGroup): boolean {
    if (event.position <= this.#read) return true;
    if (this.filter?.by === 'stream' && !passes(this.filter, event)) return true;
    if (!this.#queue.add(event, group)) return false;
    this.wake();
    return true;
  }

  /** Reads pages from here on. */
  fallBehind(position: Position): void {
    if (position > this.#read) this.#read = position;
    this.#log = null;
    this.wake();
  }

  /** Whether the consumer gets the position also without events. */
  get wantsPosition(): boolean {
    return this.#demand === undefined || this.#demand.isOpen || this.#isDue;
  }

  /** There is something to take, or to read. */
  wake(): void {
    this.#queue.wake();
  }

  /** Delivers the position if it has moved, though the consumer does not wait for it. */
  remind(): void {
    this.#isDue = true;
    this.wake();
  }

  /** Everything buffered, as one batch, or null. */
  take(): SubscriptionBatch | null {
    const { position } = this;
    const hasMoved = position > this.#delivered && this.wantsPosition;
    if (this.#queue.isEmpty && !hasMoved) return null;
    return this.#batch(this.#queue.take(), position);
  }

  /** Resolves when there is something to take or to read, or at the end. */
  news(): Promise<void> {
    return this.#queue.news();
  }

  end(): void {
    this.#over.abort();
    this.#queue.clear();
    this.wake();
  }

  #offered(): Offered | null {
    if (!this.live || this.#over.signal.aborted) return null;
    return { position: this.position, since: this.#queue.first?.recordedAt ?? null };
  }

  #batch(events: readonly RecordedEvent[], position: Position): SubscriptionBatch {
    this.#delivered = position;
    this.#isDue = false;
    return { events, position, caughtUp: this.live };
  }
}
