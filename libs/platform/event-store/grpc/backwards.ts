import { type EventStore, type Position, type RecordedEvent } from '../event-store.port.js';
import { type LogFilter } from './log-filter.js';

/**
 * Positions in one step backwards. Most backward reads want the last event: the first steps are
 * short.
 */
const WINDOW_FIRST_POSITIONS = 8n;
const WINDOW_LAST_POSITIONS = 512n;
const WINDOW_GROWTH = 8n;

/**
 * A step keeps the newest events up to here, in UTF-16 units of JSON; the next one reads the rest.
 */
const KEPT_UNITS_MAX = 8 * 1_048_576;

/**
 * The log from the last event before a position to the first. The port reads forwards only, so this
 * goes back window by window and turns each round.
 */
export async function* readAllBackwards(
  eventStore: EventStore,
  { stored, passes }: LogFilter,
  before: Position,
): AsyncGenerator<RecordedEvent> {
  let end = before;
  let window = WINDOW_FIRST_POSITIONS;
  while (end > 1n) {
    const after = end > window ? end - window - 1n : 0n;
    const kept = new NewestEvents();
    reading: for await (const page of eventStore.readAll({
      after,
      ...(stored !== undefined && { filter: stored }),
    })) {
      for (const event of page) {
        if (event.position >= end) break reading;
        if (passes(event)) kept.add(event);
      }
    }
    yield* kept.newestFirst();
    end = kept.cutAt ?? after + 1n;
    if (window < WINDOW_LAST_POSITIONS) window *= WINDOW_GROWTH;
  }
}

class NewestEvents {
  #events: RecordedEvent[] = [];
  #units: number[] = [];
  #total = 0;
  #cut = false;

  /** The position of the oldest event that was kept, where older ones had to be let go. */
  get cutAt(): Position | null {
    return this.#cut ? (this.#events[0]?.position ?? null) : null;
  }

  add(event: RecordedEvent): void {
    const units = JSON.stringify(event.data).length;
    this.#events.push(event);
    this.#units.push(units);
    this.#total += units;
    while (this.#total > KEPT_UNITS_MAX && this.#events.length > 1) {
      this.#total -= this.#units.shift() ?? 0;
      this.#events.shift();
      this.#cut = true;
    }
  }

  newestFirst(): RecordedEvent[] {
    return this.#events.toReversed();
  }
}
