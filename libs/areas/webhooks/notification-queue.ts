import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type AnyEventDefinition } from '#events/definition.js';
import {
  type WebhookDeliveryQueued,
  WebhookEndpointCreated,
} from '#events/webhooks/webhook.events.js';
import { instant, type Clock } from '#platform/kernel/clock.js';
import { type DomainEvent, typesOf } from '#platform/kernel/projection.js';
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
import { accountOf } from './account-events.js';
import {
  EVENT_MESSAGES_A_MINUTE,
  type EventSubscribers,
  WAITING_MAX,
} from './event-subscribers.js';
import { type WebhookStreams } from './webhook-streams.js';

interface QueueOptions {
  readonly notifications: readonly AnyNotification[];
  /** By type. */
  readonly accountEvents: ReadonlyMap<string, AnyEventDefinition>;
  readonly subscribers: EventSubscribers;
  readonly streams: Pick<WebhookStreams, 'endpointsOf' | 'onDelivery'>;
  readonly codec: EventCodec;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  /** Called when something was queued. */
  readonly onQueued: () => void;
}

type Endpoint = WebhookEndpointCreated['data'];

/** One message to every endpoint that asks for it. */
interface Message extends Pick<WebhookDeliveryQueued['data'], 'notification' | 'eventVersion'> {
  readonly accountId: string;
  readonly body: object;
  readonly isWanted: (endpoint: Endpoint) => boolean;
}

const NAME = 'webhooks.notifications';
/** Larger data is not sent. */
export const EVENT_BYTES_MAX = 65_536;
/** The type of a message that says that others are left out. No endpoint asks for it. */
export const SKIPPED_TYPE = 'webhook.events_skipped';

/**
 * Queues a delivery for each notification or event and each endpoint that existed when the event
 * was recorded. Ids derive from the event, so that an event that is read again queues nothing.
 */
export class NotificationQueue implements SubscriptionHandler {
  readonly name = NAME;
  readonly types: readonly string[];
  readonly #notified: ReadonlySet<string>;
  #saved = new SavedCheckpoint(0n);
  #handled: RecordedEvent | undefined;

  constructor(private readonly options: QueueOptions) {
    const { notifications, accountEvents } = options;
    this.#notified = new Set(notifications.flatMap(({ on }) => typesOf(on)));
    const types = [...this.#notified, ...accountEvents.keys(), WebhookEndpointCreated.type];
    this.types = [...new Set(types)];
  }

  async checkpoint(): Promise<Position | undefined> {
    const { readStore, subscribers } = this.options;
    const checkpoint = await readStore.checkpoint(NAME);
    await subscribers.load();
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    let isHandled = false;
    this.options.subscribers.beginBatch();
    for (const recorded of events) {
      if (recorded.type === WebhookEndpointCreated.type) this.#subscribe(recorded);
      if (!this.#isWanted(recorded)) continue;
      await this.#queue(recorded);
      this.#handled = recorded;
      isHandled = true;
    }
    if (!isHandled && !this.#saved.isFarBehind(position)) return;
    const checkpoint = checkpointAt(NAME, position, this.#handled);
    await this.options.readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }

  #subscribe(recorded: RecordedEvent): void {
    const { codec, subscribers } = this.options;
    subscribers.add(codec.for([WebhookEndpointCreated]).revive(recorded).data);
  }

  #isWanted({ type, data }: RecordedEvent): boolean {
    if (this.#notified.has(type)) return true;
    const { accountEvents, subscribers } = this.options;
    return accountEvents.has(type) && subscribers.has(accountOf(data));
  }

  async #queue(recorded: RecordedEvent): Promise<void> {
    const { codec, notifications, accountEvents, subscribers } = this.options;
    const event = codec.revive(recorded);
    for (const { type, on, account, body } of notifications) {
      if (!typesOf(on).includes(recorded.type)) continue;
      const accountId = account(event);
      if (accountId === null) continue;
      const isWanted = ({ types }: Endpoint) => types.length === 0 || types.includes(type);
      const message = { notification: type, accountId, body: body(event), isWanted };
      await this.#queueFor(message, recorded);
    }
    const definition = accountEvents.get(recorded.type);
    if (!definition) return;
    const accountId = accountOf(event.data);
    if (subscribers.has(accountId)) await this.#queueEvent(accountId, definition, recorded, event);
  }

  async #queueEvent(
    accountId: string,
    { type, version }: AnyEventDefinition,
    recorded: RecordedEvent,
    { data }: DomainEvent,
  ): Promise<void> {
    const message = {
      notification: type,
      eventVersion: version,
      accountId,
      body: bounded(data),
      isWanted: ({ types }: Endpoint) => types.includes(type),
    };
    await this.#queueFor(message, recorded, true);
  }

  async #queueFor(message: Message, recorded: RecordedEvent, isCounted = false): Promise<void> {
    const { streams, subscribers } = this.options;
    const { accountId, isWanted } = message;
    const { endpoints } = await streams.endpointsOf(accountId);
    for (const endpoint of endpoints.values()) {
      if (!isWanted(endpoint) || recorded.recordedAt < endpoint.createdAt) continue;
      const turn = isCounted ? await subscribers.take(endpoint, recorded.recordedAt) : 'send';
      if (turn === 'send') await this.#deliver(message, endpoint, recorded);
      else if (turn === 'say') await this.#saySkipped(accountId, recorded);
    }
  }

  /** To all endpoints of the account that ask for events. */
  async #saySkipped(accountId: string, recorded: RecordedEvent): Promise<void> {
    const minute = recorded.recordedAt.slice(0, 'YYYY-MM-DDTHH:MM'.length);
    const { accountEvents } = this.options;
    await this.#queueFor(
      {
        notification: SKIPPED_TYPE,
        accountId,
        body: {
          minute: `${minute}Z`,
          messages_a_minute: EVENT_MESSAGES_A_MINUTE,
          messages_waiting: WAITING_MAX,
        },
        isWanted: ({ types }) => types.some((type) => accountEvents.has(type)),
      },
      recorded,
    );
  }

  async #deliver(
    { notification, eventVersion, accountId, body }: Message,
    { endpointId }: Endpoint,
    recorded: RecordedEvent,
  ): Promise<void> {
    const { streams, clock, onQueued } = this.options;
    const cause = { id: recorded.id, correlationId: recorded.metadata.correlationId };
    const context = followUp(cause, `${notification}\n${endpointId}`, 'system:webhooks');
    const data = {
      deliveryId: derivedId('webhook-delivery', context.requestId),
      accountId,
      endpointId,
      queuedAt: instant(clock),
      messageId: `msg_${derivedId(notification, recorded.id)}`,
      notification,
      ...(eventVersion !== undefined && { eventVersion }),
      body: { ...body },
      occurredAt: recorded.recordedAt,
    };
    await streams.onDelivery({ type: 'QueueDelivery', data }, context);
    onQueued();
  }
}

/** The data of an event, or how large it is. */
const bounded = (data: unknown): object => {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  // An event that names its account is an object.
  return bytes <= EVENT_BYTES_MAX ? (data as object) : { omitted_bytes: bytes };
};
