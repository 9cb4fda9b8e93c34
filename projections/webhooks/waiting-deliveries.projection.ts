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

/** The deliveries of an endpoint are adjacent. */
export const waitingOf = (endpointId: string, deliveryId = ''): string =>
  `${endpointId}/${deliveryId}`;

/** Which deliveries wait for their next attempt? */
export const waitingDeliveries: Projection<WebhookDeliveryEvent, WaitingDelivery> = {
  name: 'webhook-deliveries-waiting',
  version: 2,
  on: {
    WebhookDeliveryQueued,
    WebhookDeliveryAttempted,
    WebhookDeliveryReplayed,
    WebhookDeliveryCancelled,
  },
  keys: ({ data }) => [waitingOf(data.endpointId, data.deliveryId)],
  initial: () => ({ deliveryId: '', endpointId: '', accountId: '', dueAt: '' }),
  project,
};
