import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';

/** How old a look at a log in this process may be; over a network each look costs a round trip. */
export const FRESH_MS = 5;
/** After a pause this long, forgetting everything costs less than reading what has happened. */
const PAUSE_MAX_MS = 1_000;

/**
 * Tells which streams have changed, whoever changed them, before a cache is trusted. It asks for the
 * log's head at most once in `freshMs` and reads only what lies between, so there is nothing that runs
 * by itself and could fall behind or die unseen: without an answer nobody is let in.
 */
export class ChangeWatch {
  #position: Position = 0n;
  /** When the last look that still counts began, by the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** When the last look of all began. */
  #readAt = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | null = null;
  #distrusted = 0;

  constructor(
    private readonly eventStore: EventStore,
    private readonly prefixes: readonly string[],
    /** Null: anything may have changed. */
    private readonly onChange: (stream: string | null) => void,
    /** The longest delay, in milliseconds, before a change by another process is seen here. */
    private readonly freshMs: number = FRESH_MS,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  isFresh(): boolean {
    return this.nowMs() - this.#lookedAt < this.freshMs;
  }

  /** Resolves when every change made known more than `freshMs` before this call was told. */
  async refresh(): Promise<void> {
    const since = this.nowMs() - this.freshMs;
    while (this.#lookedAt <= since) {
      // A look that began too early does not count, but the next one is shared by all who wait.
      this.#look ??= this.#lookOnce().finally(() => {
        this.#look = null;
      });
      await this.#look;
    }
  }

  /** This process has changed something itself: no earlier look counts any more. */
  distrust(): void {
    this.#distrusted += 1;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  async #lookOnce(): Promise<void> {
    const startedAt = this.nowMs();
    const distrusted = this.#distrusted;
    const head = await this.eventStore.head();
    if (head !== this.#position) {
      if (startedAt - this.#readAt > PAUSE_MAX_MS) this.onChange(null);
      else await this.#read();
      this.#position = head;
    }
    this.#readAt = startedAt;
    if (distrusted === this.#distrusted) this.#lookedAt = startedAt;
  }

  async #read(): Promise<void> {
    const filter = { by: 'stream', prefixes: this.prefixes } as const;
    for await (const page of this.eventStore.readAll({ after: this.#position, filter })) {
      for (const { stream } of page) this.onChange(stream);
    }
  }
}
