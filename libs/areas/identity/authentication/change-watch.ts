import { passes } from '#platform/event-store/event-filter.js';
import {
  type CommittedEvents,
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
 * used. It reads the log head at most once per `freshMs` and then only the events since. A commit
 * of this process that follows the known events is a check too, and reads nothing. No background
 * task runs that could fall behind or stop unnoticed: if the log does not answer, authentication
 * fails.
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
    eventStore.onCommitted?.((committed) => this.#committed(committed));
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

  /**
   * Everything that other processes appended before the commit was sent is before it in the log. So
   * there was nothing unknown where the commit follows the known events.
   */
  #committed({ after, events, sentAtMs }: CommittedEvents): void {
    if (after !== this.#position) return;
    for (const event of events) if (passes(this.#filter, event)) this.onChange(event.stream);
    this.#position = events.at(-1)?.position ?? after;
    this.#readAt = Math.max(this.#readAt, sentAtMs);
    this.#checkedAt = Math.max(this.#checkedAt, sentAtMs);
  }

  async #checkOnce(): Promise<void> {
    const startedAt = this.nowMs();
    const invalidations = this.#invalidations;
    const known = this.#position;
    const head = await this.eventStore.head();
    // A shorter log was exchanged.
    const isShorter = head < known;
    const isUnread = startedAt - this.#readAt > PAUSE_MAX_MS || isShorter;
    if (head !== known && isUnread) this.onChange(null);
    else if (head > known) await this.#read(known);
    // A commit may have been faster than this read.
    if (isShorter || head > this.#position) this.#position = head;
    this.#readAt = Math.max(this.#readAt, startedAt);
    if (invalidations === this.#invalidations) {
      this.#checkedAt = Math.max(this.#checkedAt, startedAt);
    }
  }

  async #read(after: Position): Promise<void> {
    const options = { after, filter: this.#filter };
    for await (const page of this.eventStore.readAll(options)) {
      for (const { stream } of page) this.onChange(stream);
    }
  }
}
