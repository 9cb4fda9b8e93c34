import { type Logger } from 'pino';
import { type EventStore, type EventToAppend } from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { appendSettled } from './settled-append.js';

/** How long a process that stops tries to record the rest. */
const STOP_WITHIN_MS = 5_000;
const RETRIES: BackOff = { firstMs: 1_000, maxMs: 30_000 };

/** The facts that wait to be recorded, as batches. */
export interface Batches {
  /** Such as `answers`: of the log lines. */
  readonly of: string;
  /** How many facts wait. */
  readonly waiting: () => number;
  /** Takes the next batch; null where it does not fit its event and is lost. */
  readonly next: () => Batch | null;
}

export interface Batch {
  /** Repeats of its append are recognised by its id. */
  readonly event: EventToAppend;
  readonly facts: number;
}

export interface RecorderParts {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Appends events apart from the requests that cause them: a request does not wait, and a batch is
 * one append. The stream has this process as the only writer.
 */
export class StreamRecorder {
  #revision: bigint | null = null;
  #draft: Batch | null = null;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;

  constructor(
    private readonly stream: string,
    private readonly batches: Batches,
    private readonly parts: RecorderParts,
  ) {}

  /** Whether the last append failed: the next try has a time of its own. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Records what waits after this time at the latest. */
  flushWithin(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref();
  }

  /** Records what waits. Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /** Records the last batches of a process that stops. */
  async close(): Promise<void> {
    const { clock, logger } = this.parts;
    const until = clock.now() + STOP_WITHIN_MS;
    do await this.flush();
    while (this.#left > 0 && !this.isFailing && clock.now() < until);
    clearTimeout(this.#timer);
    const { of } = this.batches;
    if (this.#left > 0) logger.warn({ of, left: this.#left }, 'facts were not recorded');
  }

  get #left(): number {
    return this.batches.waiting() + (this.#draft?.facts ?? 0);
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#left > 0) {
      this.#draft ??= this.batches.next();
      if (!this.#draft) continue;
      try {
        await this.#append(this.#draft.event);
      } catch (error) {
        this.#failures += 1;
        const { of } = this.batches;
        this.parts.logger.warn({ err: error, of }, 'facts cannot be recorded now');
        this.flushWithin(backOffMs(RETRIES, this.#failures));
        return;
      }
      this.#draft = null;
      this.#failures = 0;
    }
  }

  async #append(event: EventToAppend): Promise<void> {
    const { eventStore } = this.parts;
    const { revision } = await appendSettled(eventStore, this.stream, [event], this.#revision);
    this.#revision = revision;
  }
}
