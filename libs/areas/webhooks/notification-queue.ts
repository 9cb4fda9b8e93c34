import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { instant, type Clock } from '#platform/kernel/clock.js';
import { typesOf } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type AnyNotification } from '#platform/runtime/areas/notification.js';
import {
  checkpointAt,
  SavedCheckpoint,
  type SubscriptionHandler,
} from '#platform/runtime/subscriptions/subscription-handler.js';
import { type WebhookStreams } from './webhook-streams.js';

interface QueueOptions {
  readonly notifications: readonly AnyNotification[];
  readonly streams: Pick<WebhookStreams, 'endpointsOf' | 'onDelivery'>;
  readonly codec: EventCodec;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  /** Called when something was queued. */
  readonly onQueued: () => void;
}

const NAME = 'webhooks.notifications';

/**
 * Queues a delivery for each notification and each endpoint that existed when its event was
 * recorded. Ids derive from the event, so that an event that is read again queues nothing.
 */
export class NotificationQueue implements SubscriptionHandler {
  readonly name = NAME;
  readonly types: readonly string[];
  #saved = new SavedCheckpoint(0n);
  #handled: RecordedEvent | undefined;

  constructor(private readonly options: QueueOptions) {
    const types = options.notifications.flatMap(({ on }) => typesOf(on));
    this.types = [...new Set(types)];
  }

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.options.readStore.checkpoint(NAME);
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const wanted = events.filter(({ type }) => this.types.includes(type));
    for (const recorded of wanted) await this.#queue(recorded);
    this.#handled = wanted.at(-1) ?? this.#handled;
    if (wanted.length === 0 && !this.#saved.isFarBehind(position)) return;
    const checkpoint = checkpointAt(NAME, position, this.#handled);
    await this.options.readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }

  async #queue(recorded: RecordedEvent): Promise<void> {
    const { codec, notifications } = this.options;
    const event = codec.revive(recorded);
    for (const notification of notifications) {
      if (!typesOf(notification.on).includes(recorded.type)) continue;
      const accountId = notification.account(event);
      if (accountId === null) continue;
      await this.#queueFor(accountId, notification, recorded, notification.body(event));
    }
  }

  async #queueFor(
    accountId: string,
    { type }: AnyNotification,
    recorded: RecordedEvent,
    body: object,
  ): Promise<void> {
    const { streams, clock, onQueued } = this.options;
    const { endpoints } = await streams.endpointsOf(accountId);
    for (const { endpointId, types, createdAt } of endpoints.values()) {
      const isWanted = types.length === 0 || types.includes(type);
      if (!isWanted || recorded.recordedAt < createdAt) continue;
      const cause = { id: recorded.id, correlationId: recorded.metadata.correlationId };
      const context = followUp(cause, `${type}\n${endpointId}`, 'system:webhooks');
      const data = {
        deliveryId: derivedId('webhook-delivery', context.requestId),
        accountId,
        endpointId,
        queuedAt: instant(clock),
        messageId: `msg_${derivedId(type, recorded.id)}`,
        notification: type,
        body: { ...body },
        occurredAt: recorded.recordedAt,
      };
      await streams.onDelivery({ type: 'QueueDelivery', data }, context);
      onQueued();
    }
  }
}
