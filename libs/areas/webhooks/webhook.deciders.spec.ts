import { describe, it } from '@jest/globals';
import {
  WebhookDeliveryAttempted,
  WebhookDeliveryCancelled,
  WebhookDeliveryQueued,
  WebhookDeliveryReplayed,
  WebhookEndpointCreated,
  WebhookEndpointDeleted,
} from '#events/webhooks/webhook.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { webhookDeliveryDecider } from './webhook-delivery.decider.js';
import { ENDPOINTS_MAX, webhookEndpointsDecider } from './webhook-endpoints.decider.js';

const AT = '2026-11-22T10:00:00.000Z';
const LATER = '2026-11-22T10:00:05.000Z';
const LATEST = '2026-11-22T10:05:00.000Z';
const idOf = (number: number): string =>
  `01890a5d-ac96-774b-8cce-${String(number).padStart(12, '0')}`;

describe('the webhooks of an account', () => {
  const webhooks = deciderSpecOf(webhookEndpointsDecider);
  const endpoint = (number: number) => ({
    accountId: '7',
    endpointId: idOf(number),
    userId: UserId.parse(7),
    sealedUrl: 'sealed-url',
    sealedSecret: 'sealed-secret',
    types: [],
    format: 'standard' as const,
    createdAt: AT,
  });
  const created = (number: number) => WebhookEndpointCreated.of(endpoint(number));
  const creating = (number: number) =>
    ({ type: 'CreateEndpoint', data: endpoint(number) }) as const;
  const gone = { accountId: '7', endpointId: idOf(1), deletedAt: LATER };
  const deleting = { type: 'DeleteEndpoint', data: gone } as const;

  it('are created once each', () => {
    webhooks.given().when(creating(1)).then(created(1));
    webhooks.given(created(1)).when(creating(1)).thenNothing();
  });

  it('are limited in number', () => {
    const all = Array.from({ length: ENDPOINTS_MAX }, (_, index) => created(index));
    webhooks
      .given(...all)
      .when(creating(99))
      .thenThrows('too_many_webhooks');
    webhooks
      .given(...all, WebhookEndpointDeleted.of(gone))
      .when(creating(99))
      .then(created(99));
  });

  it('are deleted if they exist', () => {
    webhooks.given(created(1)).when(deleting).then(WebhookEndpointDeleted.of(gone));
    webhooks.given().when(deleting).thenThrows('webhook_not_found');
  });
});

describe('a delivery', () => {
  const delivery = deciderSpecOf(webhookDeliveryDecider);
  const facts = { deliveryId: idOf(2), accountId: '7', endpointId: idOf(1), queuedAt: AT };
  const message = {
    ...facts,
    messageId: `msg_${idOf(3)}`,
    notification: 'invoice.completed',
    body: { invoice_id: idOf(4) },
    occurredAt: AT,
  };
  const queued = WebhookDeliveryQueued.of(message);
  const queueing = { type: 'QueueDelivery', data: message } as const;
  const answer = { isDelivered: false, statusCode: 503, failure: null, attemptedAt: AT };
  const recording = (attempt: number, isDelivered = false) =>
    ({
      type: 'RecordAttempt',
      data: {
        deliveryId: facts.deliveryId,
        ...answer,
        isDelivered,
        attempt,
        retryAt: [LATER, LATEST],
      },
    }) as const;
  const attempted = (attempt: number, nextAttemptAt: string | null, isDelivered = false) =>
    WebhookDeliveryAttempted.of({ ...facts, ...answer, isDelivered, attempt, nextAttemptAt });

  it('is queued once', () => {
    delivery.given().when(queueing).then(queued);
    delivery.given(queued).when(queueing).thenNothing();
  });

  it('ends with the answer', () => {
    delivery
      .given(queued)
      .when(recording(1, true))
      .then(attempted(1, null, true));
  });

  it('is tried again after each pause, and then given up', () => {
    const [first, second] = [attempted(1, LATER), attempted(2, LATEST)];
    delivery.given(queued).when(recording(1)).then(first);
    delivery.given(queued, first).when(recording(2)).then(second);
    delivery.given(queued, first, second).when(recording(3)).then(attempted(3, null));
  });

  it('counts an attempt once', () => {
    delivery.given(queued, attempted(1, LATER)).when(recording(1)).thenNothing();
    delivery
      .given(queued, attempted(1, null, true))
      .when(recording(2))
      .thenNothing();
  });

  const replaying = {
    type: 'ReplayDelivery',
    data: { deliveryId: facts.deliveryId, replayedAt: LATEST },
  } as const;
  const replayed = WebhookDeliveryReplayed.of({ ...facts, replayedAt: LATEST });
  const cancelled = WebhookDeliveryCancelled.of({ ...facts, cancelledAt: LATER });

  it('is replayed when it has ended, with all its retries', () => {
    const ended = [queued, attempted(1, LATER), attempted(2, LATEST), attempted(3, null)];
    delivery
      .given(...ended)
      .when(replaying)
      .then(replayed);
    delivery
      .given(...ended, replayed)
      .when(recording(4))
      .then(attempted(4, LATER));
    delivery.given(queued).when(replaying).thenNothing();
    delivery.given(queued, cancelled).when(replaying).thenThrows('webhook_delivery_cancelled');
    delivery.given().when(replaying).thenThrows('webhook_delivery_not_found');
  });

  it('is cancelled once', () => {
    const data = { deliveryId: facts.deliveryId, cancelledAt: LATER };
    const cancelling = { type: 'CancelDelivery', data } as const;
    delivery.given(queued).when(cancelling).then(cancelled);
    delivery.given(queued, cancelled).when(cancelling).thenNothing();
    delivery.given(queued, cancelled).when(recording(1)).thenNothing();
  });
});
