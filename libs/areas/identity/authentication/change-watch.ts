import {
  type EventFilter,
  type EventStore,
  type Position,
} from '#platform/event-store/event-store.port.js';

/**
 * The default age, in milliseconds, up to which the known log head is used; for a log in this
 * process.
 */
export const FRESH_MS = 5;
/** After a longer pause, clearing the cache costs less than reading the events since. */
const PAUSE_MAX_MS = 1_000;

/**
 * Reports the streams that any process has changed, so that a cache can drop them before it is
 * used. It reads the log head at most once per `freshMs` and then only the events since. No
 * background task runs that could fall behind or stop unnoticed: if the log does not answer,
 * authentication fails.
 */
export class ChangeWatch {
  #position: Position = 0n;
  /** Start of the last valid check, by the monotonic clock. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Start of the last check, valid or not. */
  #readAt = Number.NEGATIVE_INFINITY;
  #check: Promise<void> | null = null;
  #invalidations = 0;
  readonly #filter: EventFilter;

  constructor(
    private readonly eventStore: EventStore,
    prefixes: readonly string[],
    /** Null: any stream may have changed. */
    private readonly onChange: (stream: string | null) => void,
    /** The longest delay, in milliseconds, before a change by another process is seen here. */
    private readonly freshMs: number = FRESH_MS,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#filter = { by: 'stream', prefixes };
  }

  isFresh(): boolean {
    return this.nowMs() - this.#checkedAt < this.freshMs;
  }

  /** Resolves when every change older than `freshMs` at the time of this call was reported. */
  async refresh(): Promise<void> {
    const since = this.nowMs() - this.freshMs;
    while (this.#checkedAt <= since) {
      // A check that began too early is not enough; all waiting calls share the next one.
      this.#check ??= this.#checkOnce().finally(() => {
        this.#check = null;
      });
      await this.#check;
    }
  }

  /** Makes earlier checks invalid, after a change by this process. */
  invalidate(): void {
    this.#invalidations += 1;
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  async #checkOnce(): Promise<void> {
    const startedAt = this.nowMs();
    const invalidations = this.#invalidations;
    const head = await this.eventStore.head();
    if (head !== this.#position) {
      // A shorter log was exchanged.
      const isUnread = startedAt - this.#readAt > PAUSE_MAX_MS || head < this.#position;
      if (isUnread) this.onChange(null);
      else await this.#read();
      this.#position = head;
    }
    this.#readAt = startedAt;
    if (invalidations === this.#invalidations) this.#checkedAt = startedAt;
  }

  async #read(): Promise<void> {
    const options = { after: this.#position, filter: this.#filter };
    for await (const page of this.eventStore.readAll(options)) {
      for (const { stream } of page) this.onChange(stream);
    }
  }
}
