import { Module } from '@nestjs/common';
import { CreateWebhookHandler } from './create-webhook.handler.js';
import { DeleteWebhookHandler } from './delete-webhook.handler.js';
import { ReplayDeliveryHandler } from './replay-delivery.handler.js';
import { TestWebhookHandler } from './test-webhook.handler.js';
import { WebhookDispatching } from './webhook-dispatching.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStreams } from './webhook-streams.js';
import {
  ListDeliveriesHandler,
  ListWebhooksHandler,
  MessageTypeHandler,
} from './webhooks.queries.js';

@Module({
  providers: [
    WebhookStreams,
    WebhookSecrets,
    WebhookSender,
    WebhookDispatching,
    CreateWebhookHandler,
    DeleteWebhookHandler,
    ReplayDeliveryHandler,
    TestWebhookHandler,
    ListWebhooksHandler,
    ListDeliveriesHandler,
    MessageTypeHandler,
  ],
  exports: [WebhookDispatching],
})
export class WebhooksModule {}
