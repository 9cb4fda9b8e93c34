import { type Position, type RecordedEvent } from './event-store.port.js';

/** Events buffered for one subscription; one that falls further behind reads pages again. */
const BUFFERED_EVENTS_MAX = 4_096;
/** UTF-16 units of JSON. */
const BUFFERED_UNITS_MAX = 16 * 1_048_576;

/** Events that were committed or arrived together, after the filter. */
export interface WaitingGroup {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, filtered events included. */
  readonly position: Position;
  /** UTF-16 units of the data. */
  readonly units: number;
}

/** The buffer of one subscription, bounded in number and size. */
export class SubscriptionQueue {
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
    // A group that was filtered out whole only moves the position: one entry holds all of them.
    if (next.events.length === 0 && last !== undefined) {
      this.#waiting.splice(-1, 1, { ...last, position: next.position });
    } else {
      this.#waiting.push(next);
      this.#events += next.events.length;
      this.#units += next.units;
    }
  }

  /**
   * All groups, joined into one batch. A consumer that writes after each batch writes no more often
   * under load.
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
