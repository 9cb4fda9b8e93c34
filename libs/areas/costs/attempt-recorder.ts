import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  ATTEMPTS_MAX,
  costEvents,
  type RigAttempt,
  RigAttemptsRecorded,
} from '#events/costs/rig-attempt.events.js';
import { type EventStore, type EventToAppend } from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { appendSettled } from '#platform/runtime/commands/settled-append.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';

/** The longest time that an attempt waits to be recorded. */
export const RECORD_AFTER_MS = 1_000;
/** Attempts that wait while the log cannot be written; more are counted as lost. */
export const WAITING_MAX = 20_000;
/** How long a process that stops tries to record its last attempts. */
const STOP_WITHIN_MS = 5_000;

const RETRIES: BackOff = { firstMs: 1_000, maxMs: 30_000 };

/** An event that is not in the log yet. Repeats of its append are recognised by its id. */
interface Draft {
  readonly event: EventToAppend;
  readonly attempts: number;
}

/**
 * Records attempts in batches, apart from the requests that made them: a request does not wait for
 * it, and a batch is one append. Its stream has this process as the only writer.
 */
@Injectable()
export class AttemptRecorder implements OnApplicationShutdown {
  readonly #stream = `costs-${randomUUID()}`;
  readonly #codec: CodecOf<RigAttemptsRecorded>;
  #revision: bigint | null = null;
  #waiting: RigAttempt[] = [];
  #lost = 0;
  #draft: Draft | null = null;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.#codec = codec.for(costEvents);
  }

  record(attempt: RigAttempt): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(attempt);
    if (this.#waiting.length >= ATTEMPTS_MAX && this.#failures === 0) void this.flush();
    else this.#timer ??= this.#after(RECORD_AFTER_MS);
  }

  /** Records what waits. Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async onApplicationShutdown(): Promise<void> {
    const until = this.clock.now() + STOP_WITHIN_MS;
    do await this.flush();
    while (this.#hasWork && this.#failures === 0 && this.clock.now() < until);
    clearTimeout(this.#timer);
    const attempts = this.#waiting.length + (this.#draft?.attempts ?? 0);
    if (attempts > 0) this.logger.warn({ attempts }, 'the costs of attempts were not recorded');
  }

  get #hasWork(): boolean {
    return this.#draft !== null || this.#waiting.length > 0;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#hasWork) {
      this.#draft ??= this.#nextDraft();
      if (!this.#draft) continue;
      try {
        await this.#append(this.#draft);
      } catch (error) {
        this.#failures += 1;
        this.logger.warn({ err: error }, 'the costs of attempts cannot be recorded now');
        this.#timer ??= this.#after(backOffMs(RETRIES, this.#failures));
        return;
      }
      this.#draft = null;
      this.#failures = 0;
    }
  }

  /** Null where an attempt does not fit the schema: the batch is lost, and the next one says so. */
  #nextDraft(): Draft | null {
    const attempts = this.#waiting.splice(0, ATTEMPTS_MAX);
    try {
      const data = { attempts, lost: this.#lost, recordedAt: instant(this.clock) };
      const event = RigAttemptsRecorded.of(data);
      const context = contextOf(randomUUID(), 'system');
      const stored = this.#codec.store(event, this.#stream, 'RecordAttempts', context, 0);
      this.#lost = 0;
      return { event: stored, attempts: attempts.length };
    } catch (error) {
      this.#lost += attempts.length;
      this.logger.warn({ err: error }, 'attempts of rigs do not fit their event');
      return null;
    }
  }

  async #append({ event }: Draft): Promise<void> {
    const { eventStore } = this;
    const { revision } = await appendSettled(eventStore, this.#stream, [event], this.#revision);
    this.#revision = revision;
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.flush(), ms).unref();
  }
}
