import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import {
  CLOCK,
  CODEC,
  EVENT_STORE,
  LOGGER,
  PROJECTIONS,
  READ_STORE,
} from '#platform/runtime/tokens.js';
import {
  type WaitingDelivery,
  waitingDeliveries,
} from '#projections/webhooks/waiting-deliveries.projection.js';
import { accountEventsOf } from './account-events.js';
import { EventSubscribers } from './event-subscribers.js';
import { BODY_OF } from './message-body.js';
import { NotificationQueue } from './notification-queue.js';
import { MAIL_SCHEME, WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStreams } from './webhook-streams.js';
import { WEBHOOK_SETTINGS, type WebhookSettings } from './webhooks.settings.js';

const LOOKED_EVERY_MS = 1_000;
/** Requests at once; one endpoint gets one at a time. */
const SENT_AT_ONCE = 16;
const ACTOR = 'system:webhooks';

/** Queues notifications and events of every area, and sends what is due. */
@Injectable()
export class WebhookDispatching implements LeaderService {
  readonly #busyEndpoints = new Set<string>();
  readonly #sending = new Set<Promise<void>>();
  #queue: SubscriptionRunner | undefined;
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #wake: AbortController = new AbortController();
  #failure: string | null = null;

  constructor(
    private readonly areas: Areas,
    private readonly streams: WebhookStreams,
    private readonly secrets: WebhookSecrets,
    private readonly sender: WebhookSender,
    @Inject(WEBHOOK_SETTINGS) private readonly settings: WebhookSettings,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): Promise<void> {
    const { streams, codec, projections, eventStore, readStore, clock, logger } = this;
    this.#stopping = new AbortController();
    const notifications = this.areas.notifications();
    const accountEvents = accountEventsOf(this.areas);
    const subscribers = new EventSubscribers(accountEvents, { projections, eventStore, codec });
    const onQueued = (): void => this.#wake.abort();
    const messages = { notifications, accountEvents, subscribers };
    const handler = new NotificationQueue({
      ...messages,
      streams,
      codec,
      readStore,
      clock,
      onQueued,
    });
    this.#queue = new SubscriptionRunner(handler, eventStore, clock, logger);
    this.#queue.start();
    this.#running = this.#run(this.#stopping.signal);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#queue?.stop();
    await this.#running;
    await Promise.all(this.#sending);
  }

  status(): RunnerStatus {
    const phase = this.#stopping.signal.aborted ? ('closed' as const) : ('live' as const);
    const own = { phase, position: 0n, failure: null, retryAt: null };
    const queue = this.#queue?.status() ?? own;
    return { ...queue, name: 'webhooks', failure: queue.failure ?? this.#failure };
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#sendDue(signal);
        this.#failure = null;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.logger.error({ err: error }, 'due webhooks could not be read; retrying');
      }
      const either = AbortSignal.any([signal, this.#wake.signal]);
      await sleep(LOOKED_EVERY_MS, undefined, { signal: either, ref: false }).catch(
        () => undefined,
      );
    }
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const now = instant(this.clock);
    for await (const { documents } of projectionPages(this.projections, waitingDeliveries)) {
      const due = documents.map(({ document }) => document).filter(({ dueAt }) => dueAt <= now);
      for (const delivery of due) {
        if (this.#sending.size >= SENT_AT_ONCE) return;
        if (!this.#busyEndpoints.has(delivery.endpointId)) this.#begin(delivery, signal);
      }
      if (signal.aborted) return;
    }
  }

  #begin(delivery: WaitingDelivery, signal: AbortSignal): void {
    this.#busyEndpoints.add(delivery.endpointId);
    const sending = this.#send(delivery, signal)
      .catch((error: unknown) => {
        const { deliveryId } = delivery;
        this.logger.error({ err: error, deliveryId }, 'a webhook could not be sent; retrying');
      })
      .finally(() => {
        this.#busyEndpoints.delete(delivery.endpointId);
        this.#sending.delete(sending);
        this.#wake.abort();
      });
    this.#sending.add(sending);
  }

  async #send(delivery: WaitingDelivery, signal: AbortSignal): Promise<void> {
    const { deliveryId, endpointId, accountId } = delivery;
    const { message, status, attempts } = await this.streams.deliveryOf(deliveryId);
    if (!message || status !== 'waiting') return;
    const { endpoints } = await this.streams.endpointsOf(accountId);
    const endpoint = endpoints.get(endpointId);
    const url = endpoint ? await this.secrets.urlOf(endpoint) : null;
    const secret = endpoint ? await this.secrets.secretOf(endpoint) : null;
    const context = contextOf(randomUUID(), ACTOR);
    if (!endpoint || url === null || secret === null) {
      const data = { deliveryId, cancelledAt: instant(this.clock) };
      await this.streams.onDelivery({ type: 'CancelDelivery', data }, context);
      return;
    }
    const body = BODY_OF[endpoint.format](message);
    const sent = { url, secret, id: message.messageId, body };
    const outcome = url.startsWith(MAIL_SCHEME)
      ? await this.sender.mail(sent)
      : await this.sender.send(sent, signal);
    // An attempt that the end of the process cut short does not count.
    if (signal.aborted && !outcome.isDelivered) return;
    const now = this.clock.now();
    const retryAt = this.settings.retriesMs.map((ms) => new Date(now + ms).toISOString());
    const attempted = { attempt: attempts + 1, attemptedAt: instant(this.clock), retryAt };
    const report = { deliveryId, ...outcome, ...attempted };
    await this.streams.onDelivery({ type: 'RecordAttempt', data: report }, context);
  }
}
