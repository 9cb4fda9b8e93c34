import { webhookDeliveryEvents, webhookEndpointEvents } from '#events/webhooks/webhook.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { waitingDeliveries } from '#projections/webhooks/waiting-deliveries.projection.js';
import { webhookDeliveries } from '#projections/webhooks/webhook-deliveries.projection.js';
import { webhookEndpoints } from '#projections/webhooks/webhook-endpoints.projection.js';
import { WebhookDispatching } from './webhook-dispatching.js';
import { webhooksErrors } from './webhooks.errors.js';
import { WebhooksModule } from './webhooks.module.js';
import { webhookSettings } from './webhooks.settings.js';

export const webhooksArea = defineArea({
  name: 'webhooks',
  description: 'Signed messages about the events of an account, to endpoints of its owner.',
  module: WebhooksModule,
  events: [...webhookEndpointEvents, ...webhookDeliveryEvents],
  projections: [webhookEndpoints, webhookDeliveries, waitingDeliveries],
  leaderServices: [WebhookDispatching],
  errors: webhooksErrors,
  settings: [webhookSettings],
});
