import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { SubscriptionQueue } from '../subscription-queue.js';
import { type CommittedGroup } from './group-commit.js';

/** The position of one subscription in the log, and the buffer for its consumer. */
export class SqliteSubscription {
  readonly #filter: EventFilter | undefined;
  readonly #queue = new SubscriptionQueue();
  #position: number;
  #live = false;
  #ended = false;

  constructor(after: number, filter: EventFilter | undefined) {
    this.#position = after;
    this.#filter = filter;
  }

  /** Everything up to here has been read or is buffered. */
  get position(): number {
    return this.#position;
  }

  /** A live subscription gets the next groups from memory; the others read pages. */
  get live(): boolean {
    return this.#live;
  }

  get filter(): EventFilter | undefined {
    return this.#filter;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Buffers a group if it continues the position and there is room. */
  offer(
    { after, last, units }: Omit<CommittedGroup, 'recorded'>,
    events: readonly RecordedEvent[],
  ): void {
    if (!this.#live || last <= this.#position) return;
    if (after > this.#position || !this.#queue.hasRoomFor(events.length, units)) {
      this.#live = false;
    } else {
      const wanted = this.#wanted(after, events);
      this.#position = last;
      this.#queue.add({ events: wanted, position: BigInt(last), units });
    }
    this.#queue.wake();
  }

  /** Another process has written, up to `head`. */
  fallBehind(head: number): void {
    if (!this.#live || head <= this.#position) return;
    this.#live = false;
    this.#queue.wake();
  }

  /** Everything buffered, as one batch, or null. */
  take(): SubscriptionBatch | null {
    const taken = this.#queue.take();
    return taken && { ...taken, caughtUp: this.#live };
  }

  /** Takes the page that was read up to `position` of a log that ended at `head`. */
  advance(events: readonly RecordedEvent[], position: number, head: number): SubscriptionBatch {
    this.#position = position;
    this.#live = position >= head;
    return { events, position: BigInt(position), caughtUp: this.#live };
  }

  /** Resolves when there is something to take or to read, or at the end. */
  news(): Promise<void> {
    return this.#queue.news();
  }

  end(): void {
    this.#ended = true;
    this.#queue.clear();
    this.#queue.wake();
  }

  #wanted(after: number, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const filter = this.#filter;
    const unseen =
      after === this.#position
        ? events
        : events.filter(({ position }) => position > this.#position);
    return filter === undefined ? unseen : unseen.filter((event) => passes(filter, event));
  }
}
