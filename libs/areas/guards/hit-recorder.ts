import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  GUARDED_TEXTS_MAX,
  type GuardedTexts,
  guardEvents,
  GuardHitsRecorded,
} from '#events/guards/guard.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FactQueue } from '#platform/runtime/commands/fact-queue.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';

/** Records hits in batches, apart from the requests and from the streams of money. */
@Injectable()
export class HitRecorder implements OnApplicationShutdown {
  readonly #queue: FactQueue<GuardedTexts>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Pick<Logger, 'warn'>,
  ) {
    const events = codec.for(guardEvents);
    const stream = `guards-${randomUUID()}`;
    this.#queue = new FactQueue(
      {
        stream,
        of: 'hits of guards',
        factsMax: GUARDED_TEXTS_MAX,
        eventOf: (texts, lost) => {
          const recorded = GuardHitsRecorded.of({ texts, lost, recordedAt: instant(clock) });
          return events.store(
            recorded,
            stream,
            'RecordGuardHits',
            contextOf(randomUUID(), 'system'),
            0,
          );
        },
      },
      { eventStore, clock, logger },
    );
  }

  record(texts: Omit<GuardedTexts, 'readAt'>): void {
    this.#queue.add({ ...texts, readAt: instant(this.clock) });
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#queue.close();
  }
}
