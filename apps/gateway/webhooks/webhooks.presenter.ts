import { type NewWebhook } from '#areas/webhooks/create-webhook.handler.js';
import { type DeliveryPage, type ListedWebhooks } from '#areas/webhooks/webhooks.queries.js';
import {
  type DeliveriesDto,
  type NewWebhookDto,
  type WebhookDto,
  type WebhooksDto,
} from './webhooks.dto.js';

const presentWebhook = ({ endpoint, url }: ListedWebhooks['webhooks'][number]): WebhookDto => ({
  id: endpoint.endpointId,
  url,
  types: endpoint.types,
  format: endpoint.format,
  created_at: endpoint.createdAt,
});

export const presentNewWebhook = ({ endpoint, url, secret }: NewWebhook): NewWebhookDto => ({
  success: true,
  webhook: presentWebhook({ endpoint, url }),
  secret,
});

export const presentWebhooks = ({
  webhooks,
  types,
  events,
  position,
}: ListedWebhooks): WebhooksDto => ({
  success: true,
  webhooks: webhooks.map(presentWebhook),
  available_types: types,
  available_events: events,
  position: position.toString(),
});

export const presentDeliveries = ({ deliveries, position }: DeliveryPage): DeliveriesDto => ({
  success: true,
  deliveries: deliveries.map((delivery) => ({
    id: delivery.deliveryId,
    webhook_id: delivery.endpointId,
    message_id: delivery.messageId,
    type: delivery.notification,
    status: delivery.status,
    attempts: delivery.attempts,
    status_code: delivery.statusCode,
    failure: delivery.failure,
    queued_at: delivery.queuedAt,
    attempted_at: delivery.attemptedAt,
    next_attempt_at: delivery.nextAttemptAt,
  })),
  position: position.toString(),
});
