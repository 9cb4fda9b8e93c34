import {
  WebhookDeliveryAttempted,
  WebhookDeliveryCancelled,
  type WebhookDeliveryEvent,
  WebhookDeliveryQueued,
  WebhookDeliveryReplayed,
} from '#events/webhooks/webhook.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface WaitingDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly accountId: string;
  /** When the next attempt is due. */
  readonly dueAt: string;
}

const waiting = (
  { deliveryId, endpointId, accountId }: WebhookDeliveryEvent['data'],
  dueAt: string,
): WaitingDelivery => ({ deliveryId, endpointId, accountId, dueAt });

const project = ({ type, data }: WebhookDeliveryEvent): WaitingDelivery | null => {
  switch (type) {
    case 'WebhookDeliveryQueued':
      return waiting(data, data.queuedAt);
    case 'WebhookDeliveryAttempted':
      return data.nextAttemptAt === null ? null : waiting(data, data.nextAttemptAt);
    case 'WebhookDeliveryReplayed':
      return waiting(data, data.replayedAt);
    case 'WebhookDeliveryCancelled':
      return null;
  }
};

/** Which deliveries wait for their next attempt? */
export const waitingDeliveries: Projection<WebhookDeliveryEvent, WaitingDelivery> = {
  name: 'webhook-deliveries-waiting',
  version: 1,
  on: {
    WebhookDeliveryQueued,
    WebhookDeliveryAttempted,
    WebhookDeliveryReplayed,
    WebhookDeliveryCancelled,
  },
  keys: ({ data }) => [data.deliveryId],
  initial: (deliveryId) => ({ deliveryId, endpointId: '', accountId: '', dueAt: '' }),
  project,
};
