import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  ATTEMPTS_MAX,
  costEvents,
  type RigAttempt,
  RigAttemptsRecorded,
} from '#events/costs/rig-attempt.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Batch, StreamRecorder } from '#platform/runtime/commands/stream-recorder.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';

/** The longest time that an attempt waits to be recorded. */
export const RECORD_AFTER_MS = 1_000;
/** Attempts that wait while the log cannot be written; more are counted as lost. */
export const WAITING_MAX = 20_000;

/** Records attempts in batches, apart from the requests that made them. */
@Injectable()
export class AttemptRecorder implements OnApplicationShutdown {
  readonly #stream = `costs-${randomUUID()}`;
  readonly #codec: CodecOf<RigAttemptsRecorded>;
  readonly #recorder: StreamRecorder;
  #waiting: RigAttempt[] = [];
  #lost = 0;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.#codec = codec.for(costEvents);
    const batches = {
      of: 'attempts of rigs',
      waiting: () => this.#waiting.length,
      next: () => this.#next(),
    };
    this.#recorder = new StreamRecorder(this.#stream, batches, { eventStore, clock, logger });
  }

  record(attempt: RigAttempt): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(attempt);
    if (this.#waiting.length >= ATTEMPTS_MAX && !this.#recorder.isFailing) void this.flush();
    else this.#recorder.flushWithin(RECORD_AFTER_MS);
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#recorder.close();
  }

  /** Null where an attempt does not fit the schema: the batch is lost, and the next one says so. */
  #next(): Batch | null {
    const attempts = this.#waiting.splice(0, ATTEMPTS_MAX);
    try {
      const data = { attempts, lost: this.#lost, recordedAt: instant(this.clock) };
      const context = contextOf(randomUUID(), 'system');
      const recorded = RigAttemptsRecorded.of(data);
      const event = this.#codec.store(recorded, this.#stream, 'RecordAttempts', context, 0);
      this.#lost = 0;
      return { event, facts: attempts.length };
    } catch (error) {
      this.#lost += attempts.length;
      this.logger.warn({ err: error }, 'attempts of rigs do not fit their event');
      return null;
    }
  }
}
