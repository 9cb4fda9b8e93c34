import { passes } from '../event-filter.js';
import {
  type EventFilter,
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { unitsOf } from './log-client.js';
import { type LogPage, PAGE_EVENTS_MAX } from './log.reader.js';

/** Events that wait in memory for one follower; one who needs more goes back to reading. */
const BUFFERED_EVENTS_MAX = 4_096;
const BUFFERED_UNITS_MAX = 16 * 1_048_576;

/** What came over the wire together. */
export interface ArrivedGroup {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, the server's own included. */
  readonly position: Position;
}

interface Waiting {
  readonly events: readonly RecordedEvent[];
  position: Position;
  readonly units: number;
}

/** One subscription's place in the log, and what waits there for its consumer. */
export class Follower {
  readonly #over = new AbortController();
  /** More than a page: the reader of its pages says so. */
  isFarBehind = false;
  #waiting: Waiting[] = [];
  #events = 0;
  #units = 0;
  #position: Position;
  #live = false;
  #wake: (() => void) | null = null;

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
    const overflows =
      this.#events + wanted.length > BUFFERED_EVENTS_MAX ||
      this.#units + units > BUFFERED_UNITS_MAX;
    if (overflows) this.#live = false;
    else this.#keep({ events: wanted, position, units });
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
    const batch = taken.flatMap((waiting) => waiting.events);
    for (const { units } of taken) this.#units -= units;
    this.#events -= batch.length;
    const caughtUp = this.#live && this.#waiting.length === 0;
    return { events: batch, position: last.position, caughtUp };
  }

  /** What was read after its place; `live` when everything later will be offered. */
  advance({ events, position }: LogPage, live: boolean): SubscriptionBatch {
    const wanted = events.filter((event) => this.#wants(event));
    this.#position = position;
    this.#live = live;
    return { events: wanted, position, caughtUp: live };
  }

  /** Resolves when there is something to take or to read, or when it is over. */
  async news(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
  }

  end(): void {
    this.#over.abort();
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

  #wants(event: RecordedEvent): boolean {
    if (event.position <= this.#position) return false;
    return this.filter === undefined || passes(this.filter, event);
  }
}
