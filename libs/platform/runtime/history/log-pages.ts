import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { growingCache } from '../projections/growing-cache.js';

/** Events of one page: reading it takes 1 to 2 ms of the thread. */
export const PAGE_EVENTS = 250;
/** Pages that are kept in memory. */
const PAGES_MAX = 32;

/** The log in pages. Full pages are cached, since they never change. */
export class LogPages {
  readonly #pages = growingCache<readonly RecordedEvent[]>(PAGES_MAX);

  constructor(private readonly eventStore: EventStore) {}

  /** The events behind a position, in order. */
  async *after(position: Position): AsyncGenerator<readonly RecordedEvent[], void, void> {
    let last: Position | undefined = position;
    while (last !== undefined) {
      const page = await this.#page(last);
      yield page;
      last = page.length < PAGE_EVENTS ? undefined : page.at(-1)?.position;
    }
  }

  async #page(after: Position): Promise<readonly RecordedEvent[]> {
    const key = after.toString();
    const known = this.#pages.get(key);
    if (known) return known;
    const read = this.eventStore.readAll({ after, maxCount: PAGE_EVENTS });
    const page = (await Array.fromAsync(read)).flat();
    if (page.length === PAGE_EVENTS) this.#pages.set(key, page);
    return page;
  }
}
