import { type Position, type RecordedEvent } from './event-store.port.js';

/** Events buffered for one subscription; one that falls further behind reads pages again. */
const BUFFERED_EVENTS_MAX = 4_096;
/** UTF-16 units of JSON. */
const BUFFERED_UNITS_MAX = 16 * 1_048_576;

/** Events that were committed or arrived together. */
export interface EventGroup {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here is in this group or was before it. */
  readonly position: Position;
  /** UTF-16 units of the data of all events. */
  readonly units: number;
}

/**
 * The buffer of one subscription, bounded in number and size. An event that is buffered keeps its
 * group in memory, so the first one of a group counts as the whole group.
 */
export class SubscriptionQueue {
  #events: RecordedEvent[] = [];
  #units = 0;
  #lastGroup: EventGroup | null = null;
  #wake: (() => void) | null = null;

  get first(): RecordedEvent | undefined {
    return this.#events[0];
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Buffers an event of a group. @returns false where there is no room for it */
  add(event: RecordedEvent, group: EventGroup): boolean {
    const units = group === this.#lastGroup ? 0 : group.units;
    if (this.#events.length >= BUFFERED_EVENTS_MAX) return false;
    if (this.#units + units > BUFFERED_UNITS_MAX) return false;
    this.#events.push(event);
    this.#units += units;
    this.#lastGroup = group;
    return true;
  }

  /**
   * All events, as one batch. A consumer that writes after each batch writes no more often under
   * load.
   */
  take(): readonly RecordedEvent[] {
    const taken = this.#events;
    if (taken.length > 0) this.clear();
    return taken;
  }

  clear(): void {
    this.#events = [];
    this.#units = 0;
    this.#lastGroup = null;
  }

  /** Resolves at the next `wake`. */
  news(): Promise<void> {
    return new Promise<void>((resolve) => (this.#wake = resolve));
  }

  wake(): void {
    if (this.#wake === null) return;
    this.#wake();
    this.#wake = null;
  }
}
