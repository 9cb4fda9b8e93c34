import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { ACCOUNTS_MAX, answerEvents, AnswersSent } from '#events/statistics/answer.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Batch, StreamRecorder } from '#platform/runtime/commands/stream-recorder.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';

/** The longest time that an answer waits to be recorded. */
export const RECORD_AFTER_MS = 60_000;

interface Sent {
  answers: number;
  bytes: number;
}

/** Sums the bytes of answers by account, and records the sums each minute. */
@Injectable()
export class AnswerRecorder implements OnApplicationShutdown {
  readonly #stream = `answers-${randomUUID()}`;
  readonly #codec: CodecOf<AnswersSent>;
  readonly #recorder: StreamRecorder;
  readonly #sent = new Map<string, Sent>();

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Pick<Logger, 'warn'>,
  ) {
    this.#codec = codec.for(answerEvents);
    const batches = {
      of: 'bytes of answers',
      waiting: () => this.#sent.size,
      next: () => this.#next(),
    };
    this.#recorder = new StreamRecorder(this.#stream, batches, { eventStore, clock, logger });
  }

  record(accountId: string, bytes: number): void {
    const sent = this.#sent.get(accountId);
    if (sent) {
      sent.answers += 1;
      sent.bytes += bytes;
    } else {
      this.#sent.set(accountId, { answers: 1, bytes });
    }
    this.#recorder.flushWithin(RECORD_AFTER_MS);
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#recorder.close();
  }

  #next(): Batch {
    const accounts = [...this.#sent]
      .slice(0, ACCOUNTS_MAX)
      .map(([accountId, sent]) => ({ accountId, ...sent }));
    for (const { accountId } of accounts) this.#sent.delete(accountId);
    const context = contextOf(randomUUID(), 'system');
    const recorded = AnswersSent.of({ accounts, recordedAt: instant(this.clock) });
    const event = this.#codec.store(recorded, this.#stream, 'RecordAnswers', context, 0);
    return { event, facts: accounts.length };
  }
}
