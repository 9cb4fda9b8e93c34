import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';

/** Events in memory, of the last pages; some 20 MB. */
const EVENTS_MAX = 16_384;

interface Page {
  readonly events: readonly RecordedEvent[];
  /** Prefixes of the types that were read; null for all. */
  readonly types: ReadonlySet<string> | null;
}

/**
 * Reads the log through its last pages: readers that fell out of step by a page or two get the
 * pages that the others have read. Pages never change.
 */
export class RecentPages {
  /** By the position that they were read after, the oldest first. */
  readonly #pages = new Map<Position, Page>();
  #events = 0;

  constructor(private readonly eventStore: Pick<EventStore, 'readAll'>) {}

  /** @param types prefixes; the empty one is every type's. A page may have events of more types. */
  async *after(
    position: Position,
    types: readonly string[],
  ): AsyncGenerator<readonly RecordedEvent[], void, void> {
    const wanted = types.includes('') ? null : new Set(types);
    let last = position;
    for (let known = this.#known(last, wanted); known; known = this.#known(last, wanted)) {
      yield known;
      last = known.at(-1)?.position ?? last;
    }
    const filter = wanted && ({ by: 'type', prefixes: [...wanted] } as const);
    for await (const events of this.eventStore.readAll({
      after: last,
      ...(filter && { filter }),
    })) {
      const end = events.at(-1)?.position;
      if (end === undefined) continue;
      this.#remember(last, { events, types: wanted });
      yield events;
      last = end;
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#events = 0;
  }

  #known(after: Position, wanted: ReadonlySet<string> | null): Page['events'] | undefined {
    const page = this.#pages.get(after);
    if (!page || page.types === null) return page?.events;
    return wanted?.isSubsetOf(page.types) === true ? page.events : undefined;
  }

  #remember(after: Position, page: Page): void {
    this.#forget(after);
    this.#pages.set(after, page);
    this.#events += page.events.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#events <= EVENTS_MAX) return;
      this.#forget(oldest);
    }
  }

  #forget(after: Position): void {
    this.#events -= this.#pages.get(after)?.events.length ?? 0;
    this.#pages.delete(after);
  }
}
