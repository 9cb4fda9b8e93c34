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
import { ENDPOINTS_MAX } from './webhook-endpoints.decider.js';
import { WebhookSecrets } from './webhook-secrets.js';

export interface ListedWebhooks {
  readonly webhooks: readonly {
    readonly endpoint: WebhookEndpointCreated['data'];
    /** Null after the user was erased. */
    readonly url: string | null;
  }[];
  /** Every type that a webhook may ask for. */
  readonly types: readonly string[];
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
    return { webhooks, types, position };
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
