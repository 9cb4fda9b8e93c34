import { z } from 'zod';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type WebhookEndpointCreated } from '#events/webhooks/webhook.events.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type WebhookDelivery,
  webhookDeliveries,
} from '#projections/webhooks/webhook-deliveries.projection.js';
import { webhookEndpoints } from '#projections/webhooks/webhook-endpoints.projection.js';
import { eventSchemas } from '#platform/runtime/areas/event-schemas.js';
import { ENDPOINTS_MAX } from './webhook-endpoints.decider.js';
import { accountEventsOf } from './account-events.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { reject } from './webhooks.errors.js';

export interface ListedWebhooks {
  readonly webhooks: readonly {
    readonly endpoint: WebhookEndpointCreated['data'];
    /** Null after the user was erased. */
    readonly url: string | null;
  }[];
  /** Every type that a webhook may ask for: of notifications, and of events. */
  readonly types: readonly string[];
  readonly events: readonly string[];
  readonly position: bigint;
}

export class ListWebhooksQuery extends Query<ListedWebhooks> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(ListWebhooksQuery)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooksQuery> {
  constructor(
    private readonly secrets: WebhookSecrets,
    private readonly areas: Areas,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
  ) {}

  async execute({ accountId }: ListWebhooksQuery): Promise<ListedWebhooks> {
    const options = { prefix: `${accountId}/`, limit: ENDPOINTS_MAX };
    const { documents, position } = await this.projections.list(webhookEndpoints, options);
    const endpoints = documents.flatMap(({ document: { endpoint } }) => endpoint ?? []);
    const webhooks = await Promise.all(
      endpoints.map(async (endpoint) => ({ endpoint, url: await this.secrets.urlOf(endpoint) })),
    );
    const types = this.areas.notifications().map(({ type }) => type);
    const events = [...accountEventsOf(this.areas).keys()];
    return { webhooks, types, events, position };
  }
}

/** A type of messages, with the JSON Schema of their `data`. */
export interface MessageTypeView {
  readonly type: string;
  /** Of the event; null for a notification, whose schema has no versions. */
  readonly version: number | null;
  readonly schema: Readonly<Record<string, unknown>>;
}

export class MessageTypeQuery extends Query<MessageTypeView> {
  constructor(readonly type: string) {
    super();
  }
}

@QueryHandler(MessageTypeQuery)
export class MessageTypeHandler implements IQueryHandler<MessageTypeQuery> {
  constructor(private readonly areas: Areas) {}

  /** @throws DomainError `webhook_type_not_found` */
  execute({ type }: MessageTypeQuery): Promise<MessageTypeView> {
    const notification = this.areas.notifications().find((one) => one.type === type);
    if (notification) {
      const schema = z.toJSONSchema(notification.schema, { target: 'draft-2020-12' });
      return Promise.resolve({ type, version: null, schema });
    }
    if (!accountEventsOf(this.areas).has(type)) {
      reject('webhook_type_not_found', `there are no messages of the type ${type}`);
    }
    const found = eventSchemas(this.areas.list).find((one) => one.type === type);
    if (!found) throw new Error(`no schema of ${type}`);
    return Promise.resolve({ type, version: found.version, schema: found.schema });
  }
}

export interface DeliveryPage {
  readonly deliveries: readonly WebhookDelivery[];
  readonly position: bigint;
}

/** The deliveries of an account, newest first. */
export class ListDeliveriesQuery extends Query<DeliveryPage> {
  constructor(
    readonly accountId: string,
    readonly limit: number,
    /** Only deliveries that were queued before this instant. */
    readonly before: string | null,
  ) {
    super();
  }
}

@QueryHandler(ListDeliveriesQuery)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveriesQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>) {}

  async execute({ accountId, limit, before }: ListDeliveriesQuery): Promise<DeliveryPage> {
    const prefix = `${accountId}/`;
    const { documents, position } = await this.projections.list(webhookDeliveries, {
      prefix,
      direction: 'backwards',
      limit,
      ...(before !== null && { before: `${prefix}${before}` }),
    });
    return { deliveries: documents.map(({ document }) => document), position };
  }
}
