import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { type CommittedGroup } from './group-commit.js';
import { PAGE_EVENTS_MAX } from './log.reader.js';

/** Events that wait in memory for one follower; one who needs more goes back to reading. */
const BUFFERED_EVENTS_MAX = 4_096;
const BUFFERED_UNITS_MAX = 16 * 1_048_576;

interface Waiting {
  readonly events: readonly RecordedEvent[];
  position: number;
  readonly units: number;
}

/** One subscription's place in the log, and what waits there for its consumer. */
export class Follower {
  readonly #filter: EventFilter | undefined;
  #waiting: Waiting[] = [];
  #events = 0;
  #units = 0;
  #position: number;
  #live = false;
  #ended = false;
  #wake: (() => void) | null = null;

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
    const overflows =
      this.#events + events.length > BUFFERED_EVENTS_MAX ||
      this.#units + units > BUFFERED_UNITS_MAX;
    if (after > this.#position || overflows) this.#live = false;
    else {
      this.#keep({ events: this.#wanted(after, events), position: last, units });
    }
    this.#wake?.();
  }

  /** Somebody else has written, up to `head`. */
  fallBehind(head: number): void {
    if (!this.#live || head <= this.#position) return;
    this.#live = false;
    this.#wake?.();
  }

  /** What waits, as one batch of bounded size; null when nothing does. */
  take(): SubscriptionBatch | null {
    let events = 0;
    let count = 0;
    for (const next of this.#waiting) {
      events += next.events.length;
      if (count > 0 && events > PAGE_EVENTS_MAX) break;
      count += 1;
    }
    const taken = this.#waiting.splice(0, count);
    const last = taken.at(-1);
    if (last === undefined) return null;
    const batch = taken.length === 1 ? last.events : taken.flatMap((waiting) => waiting.events);
    for (const { units } of taken) this.#units -= units;
    this.#events -= batch.length;
    const caughtUp = this.#live && this.#waiting.length === 0;
    return { events: batch, position: BigInt(last.position), caughtUp };
  }

  /** What was read up to `position` of a log that ended at `head`. */
  advance(events: readonly RecordedEvent[], position: number, head: number): SubscriptionBatch {
    this.#position = position;
    this.#live = position >= head;
    return { events, position: BigInt(position), caughtUp: this.#live };
  }

  /** Resolves when there is something to take or to read, or when it is over. */
  async news(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
  }

  end(): void {
    this.#ended = true;
    this.#waiting = [];
    this.#wake?.();
  }

  #keep(next: Waiting): void {
    this.#position = next.position;
    const last = this.#waiting.at(-1);
    // Groups that the filter held back whole only move the place: one entry says that for all.
    if (next.events.length === 0 && last !== undefined) last.position = next.position;
    else {
      this.#waiting.push(next);
      this.#events += next.events.length;
      this.#units += next.units;
    }
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
