import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER, READ_STORE } from '#platform/runtime/tokens.js';
import { SpanQueue } from './span-queue.js';
import { sendSpans } from './span-sender.js';
import { TRACE_SETTINGS, type TraceSettings } from './traces.settings.js';

/** Exports spans where a collector is configured. */
@Injectable()
export class TraceExport implements LeaderService {
  #runner: SubscriptionRunner | undefined;
  #stopping = new AbortController();

  constructor(
    @Inject(TRACE_SETTINGS) private readonly settings: TraceSettings,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): Promise<void> {
    const { eventStore, readStore, codec, clock, logger } = this;
    const { endpoint, headers } = this.settings;
    this.#stopping = new AbortController();
    const { signal: stopping } = this.#stopping;
    if (endpoint !== null) {
      const queue = new SpanQueue({
        eventStore,
        readStore,
        codec,
        logger,
        stopping,
        send: (spans) => sendSpans({ endpoint, headers }, spans, stopping),
      });
      this.#runner = new SubscriptionRunner(queue, eventStore, clock, logger);
      this.#runner.start();
    }
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop();
    this.#runner = undefined;
  }

  status(): RunnerStatus {
    const none = { phase: 'live', position: 0n, failure: null, retryAt: null } as const;
    return { ...(this.#runner?.status() ?? none), name: 'traces' };
  }
}
