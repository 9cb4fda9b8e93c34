import {
  WebhookDeliveryAttempted,
  WebhookDeliveryCancelled,
  type WebhookDeliveryEvent,
  WebhookDeliveryQueued,
  WebhookDeliveryReplayed,
} from '#events/webhooks/webhook.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'cancelled';

export interface WebhookDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly messageId: string;
  readonly notification: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly queuedAt: string;
  readonly attemptedAt: string | null;
  readonly nextAttemptAt: string | null;
}

const project = (
  { type, data }: WebhookDeliveryEvent,
  document: WebhookDelivery,
): WebhookDelivery => {
  switch (type) {
    case 'WebhookDeliveryQueued': {
      const { deliveryId, endpointId, messageId, notification, queuedAt } = data;
      const facts = { deliveryId, endpointId, messageId, notification, queuedAt };
      return { ...document, ...facts, status: 'waiting', nextAttemptAt: queuedAt };
    }
    case 'WebhookDeliveryAttempted': {
      const { attempt: attempts, statusCode, failure, attemptedAt, nextAttemptAt } = data;
      const ended = data.isDelivered ? 'delivered' : 'failed';
      const status = nextAttemptAt === null ? ended : 'waiting';
      return { ...document, status, attempts, statusCode, failure, attemptedAt, nextAttemptAt };
    }
    case 'WebhookDeliveryReplayed':
      return { ...document, status: 'waiting', nextAttemptAt: data.replayedAt };
    case 'WebhookDeliveryCancelled':
      return { ...document, status: 'cancelled', nextAttemptAt: null };
  }
};

/** What became of each message to the endpoints of an account? Keys order by time. */
export const webhookDeliveries: Projection<WebhookDeliveryEvent, WebhookDelivery> = {
  name: 'webhook-deliveries',
  version: 1,
  on: {
    WebhookDeliveryQueued,
    WebhookDeliveryAttempted,
    WebhookDeliveryReplayed,
    WebhookDeliveryCancelled,
  },
  keys: ({ data }) => [`${data.accountId}/${data.queuedAt}/${data.deliveryId}`],
  initial: () => ({
    deliveryId: '',
    endpointId: '',
    messageId: '',
    notification: '',
    status: 'waiting',
    attempts: 0,
    statusCode: null,
    failure: null,
    queuedAt: '',
    attemptedAt: null,
    nextAttemptAt: null,
  }),
  project,
};
