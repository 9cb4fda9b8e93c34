import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { ATTEMPTS_MAX, costEvents, RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FactQueue } from '#platform/runtime/commands/fact-queue.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { type ObservedAttempt, tableOf } from './attempt-table.js';

/** Records attempts in batches, apart from the requests that made them. */
@Injectable()
export class AttemptRecorder implements OnApplicationShutdown {
  readonly #queue: FactQueue<ObservedAttempt>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Pick<Logger, 'warn'>,
  ) {
    const events = codec.for(costEvents);
    const stream = `costs-${randomUUID()}`;
    this.#queue = new FactQueue(
      {
        stream,
        of: 'attempts of rigs',
        factsMax: ATTEMPTS_MAX,
        eventOf: (attempts, lost) => {
          const { work, since } = tableOf(attempts);
          const recordedAt = instant(clock);
          const recorded = RigAttemptsRecorded.of({ work, since, lost, recordedAt });
          return events.store(
            recorded,
            stream,
            'RecordAttempts',
            contextOf(randomUUID(), 'system'),
            0,
          );
        },
      },
      { eventStore, clock, logger },
    );
  }

  record(attempt: ObservedAttempt): void {
    this.#queue.add(attempt);
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#queue.close();
  }
}
