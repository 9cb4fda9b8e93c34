import { Map as ImmutableMap } from 'immutable';
import {
  WebhookEndpointCreated,
  WebhookEndpointDeleted,
  type WebhookEndpointEvent,
} from '#events/webhooks/webhook.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './webhooks.errors.js';

export type WebhookEndpointCommand =
  | { readonly type: 'CreateEndpoint'; readonly data: WebhookEndpointCreated['data'] }
  | { readonly type: 'DeleteEndpoint'; readonly data: WebhookEndpointDeleted['data'] };

export interface WebhookEndpointsState {
  /** By id. */
  readonly endpoints: ImmutableMap<string, WebhookEndpointCreated['data']>;
}

export const ENDPOINTS_MAX = 20;

/** The endpoints of one account. */
export const webhookEndpointsDecider: Decider<
  WebhookEndpointCommand,
  WebhookEndpointsState,
  WebhookEndpointEvent
> = {
  initialState: { endpoints: ImmutableMap() },
  decide: ({ type, data }, { endpoints }) => {
    const isKnown = endpoints.has(data.endpointId);
    switch (type) {
      case 'CreateEndpoint':
        if (isKnown) return [];
        if (endpoints.size >= ENDPOINTS_MAX) {
          reject('too_many_webhooks', `an account has at most ${ENDPOINTS_MAX} webhooks`);
        }
        return [WebhookEndpointCreated.of(data)];
      case 'DeleteEndpoint':
        if (!isKnown) reject('webhook_not_found', `there is no webhook ${data.endpointId}`);
        return [WebhookEndpointDeleted.of(data)];
    }
  },
  evolve: ({ endpoints }, { type, data }) => ({
    endpoints:
      type === 'WebhookEndpointCreated'
        ? endpoints.set(data.endpointId, data)
        : endpoints.delete(data.endpointId),
  }),
};
