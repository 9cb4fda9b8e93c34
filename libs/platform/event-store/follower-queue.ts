import { type Position, type RecordedEvent } from './event-store.port.js';

/** Events that wait in memory for one follower; one who needs more goes back to reading. */
const BUFFERED_EVENTS_MAX = 4_096;
/** UTF-16 units of JSON. */
const BUFFERED_UNITS_MAX = 16 * 1_048_576;

/** What came together, without what the follower does not want. */
export interface WaitingGroup {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, those that are not wanted included. */
  readonly position: Position;
  /** Of the data. */
  readonly units: number;
}

/** What waits for the consumer of one subscription, bounded in number and size. */
export class FollowerQueue {
  #waiting: WaitingGroup[] = [];
  #events = 0;
  #units = 0;
  #wake: (() => void) | null = null;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  hasRoomFor(events: number, units: number): boolean {
    return (
      this.#events + events <= BUFFERED_EVENTS_MAX && this.#units + units <= BUFFERED_UNITS_MAX
    );
  }

  add(next: WaitingGroup): void {
    const last = this.#waiting.at(-1);
    // Groups that the filter held back whole only move the place: one entry says that for all.
    if (next.events.length === 0 && last !== undefined) {
      this.#waiting.splice(-1, 1, { ...last, position: next.position });
    } else {
      this.#waiting.push(next);
      this.#events += next.events.length;
      this.#units += next.units;
    }
  }

  /** The first groups, joined, of at most so many events; one that is larger comes alone. */
  take(eventsMax: number): Omit<WaitingGroup, 'units'> | null {
    let events = 0;
    let count = 0;
    for (const next of this.#waiting) {
      events += next.events.length;
      if (count > 0 && events > eventsMax) break;
      count += 1;
    }
    const taken = this.#waiting.splice(0, count);
    const last = taken.at(-1);
    if (last === undefined) return null;
    const joined = taken.length === 1 ? last.events : taken.flatMap((group) => group.events);
    for (const { units } of taken) this.#units -= units;
    this.#events -= joined.length;
    return { events: joined, position: last.position };
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Resolves at the next `wake`. */
  async news(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
  }

  wake(): void {
    this.#wake?.();
  }
}
