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
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Batch, StreamRecorder } from '#platform/runtime/commands/stream-recorder.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';

/** The longest time that a hit waits to be recorded. */
const RECORD_AFTER_MS = 1_000;
/** Requests and answers that wait while the log cannot be written; more are counted as lost. */
const WAITING_MAX = 20_000;

/** Records hits in batches, apart from the requests and from the streams of money. */
@Injectable()
export class HitRecorder implements OnApplicationShutdown {
  readonly #stream = `guards-${randomUUID()}`;
  readonly #codec: CodecOf<GuardHitsRecorded>;
  readonly #recorder: StreamRecorder;
  #waiting: GuardedTexts[] = [];
  #lost = 0;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Pick<Logger, 'warn'>,
  ) {
    this.#codec = codec.for(guardEvents);
    const batches = {
      of: 'hits of guards',
      waiting: () => this.#waiting.length,
      next: () => this.#next(),
    };
    this.#recorder = new StreamRecorder(this.#stream, batches, { eventStore, clock, logger });
  }

  record(texts: Omit<GuardedTexts, 'readAt'>): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push({ ...texts, readAt: instant(this.clock) });
    if (this.#waiting.length >= GUARDED_TEXTS_MAX && !this.#recorder.isFailing) void this.flush();
    else this.#recorder.flushWithin(RECORD_AFTER_MS);
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#recorder.close();
  }

  #next(): Batch {
    const texts = this.#waiting.splice(0, GUARDED_TEXTS_MAX);
    const data = { texts, lost: this.#lost, recordedAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    const recorded = GuardHitsRecorded.of(data);
    const event = this.#codec.store(recorded, this.#stream, 'RecordGuardHits', context, 0);
    this.#lost = 0;
    return { event, facts: texts.length };
  }
}
