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

  /**
   * All groups, joined: whoever writes what comes of a batch, and rests after it, writes no more often
   * the more there is to write.
   */
  take(): Omit<WaitingGroup, 'units'> | null {
    const taken = this.#waiting;
    const last = taken.at(-1);
    if (last === undefined) return null;
    this.clear();
    const events = taken.length === 1 ? last.events : taken.flatMap((group) => group.events);
    return { events, position: last.position };
  }

  clear(): void {
    this.#waiting = [];
    this.#events = 0;
    this.#units = 0;
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
