import {
  WebhookEndpointCreated,
  WebhookEndpointDeleted,
  type WebhookEndpointEvent,
} from '#events/webhooks/webhook.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface WebhookEndpointDocument {
  /** Null before its first event. */
  readonly endpoint: WebhookEndpointCreated['data'] | null;
}

/** Which endpoints does an account have? Keys of an account are adjacent. */
export const webhookEndpoints: Projection<WebhookEndpointEvent, WebhookEndpointDocument> = {
  name: 'webhook-endpoints',
  version: 1,
  on: { WebhookEndpointCreated, WebhookEndpointDeleted },
  keys: ({ data }) => [`${data.accountId}/${data.endpointId}`],
  initial: () => ({ endpoint: null }),
  project: ({ type, data }) => (type === 'WebhookEndpointCreated' ? { endpoint: data } : null),
};
