import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { FollowerQueue } from '../follower-queue.js';
import { type CommittedGroup } from './group-commit.js';

/** One subscription's place in the log, and what waits there for its consumer. */
export class Follower {
  readonly #filter: EventFilter | undefined;
  readonly #queue = new FollowerQueue();
  #position: number;
  #live = false;
  #ended = false;

  constructor(after: number, filter: EventFilter | undefined) {
    this.#position = after;
    this.#filter = filter;
  }

  /** Everything up to here has been read or waits here. */
  get position(): number {
    return this.#position;
  }

  /** Gets the next groups from memory; one who is not live reads. */
  get live(): boolean {
    return this.#live;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** A group of our own: it waits here if it follows on what was seen and there is room. */
  offer({ after, last, units }: CommittedGroup, events: readonly RecordedEvent[]): void {
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

  /** Somebody else has written, up to `head`. */
  fallBehind(head: number): void {
    if (!this.#live || head <= this.#position) return;
    this.#live = false;
    this.#queue.wake();
  }

  /** All that waits, as one batch; null when nothing does. */
  take(): SubscriptionBatch | null {
    const taken = this.#queue.take();
    return taken && { ...taken, caughtUp: this.#live };
  }

  /** What was read up to `position` of a log that ended at `head`. */
  advance(events: readonly RecordedEvent[], position: number, head: number): SubscriptionBatch {
    this.#position = position;
    this.#live = position >= head;
    return { events, position: BigInt(position), caughtUp: this.#live };
  }

  /** Resolves when there is something to take or to read, or when it is over. */
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
