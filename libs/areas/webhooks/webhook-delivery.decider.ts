import {
  WebhookDeliveryAttempted,
  WebhookDeliveryCancelled,
  type WebhookDeliveryEvent,
  WebhookDeliveryQueued,
  WebhookDeliveryReplayed,
} from '#events/webhooks/webhook.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './webhooks.errors.js';

type Reference = { readonly deliveryId: string };

/** The outcome of an attempt. */
export interface DeliveryOutcome extends Reference {
  /** The number of the attempt, so that one that is reported twice counts once. */
  readonly attempt: number;
  readonly isDelivered: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly attemptedAt: string;
  /** The instants of further attempts, by the attempts of this round that precede them, from 1. */
  readonly retryAt: readonly string[];
}

export type WebhookDeliveryCommand =
  | { readonly type: 'QueueDelivery'; readonly data: WebhookDeliveryQueued['data'] }
  | { readonly type: 'RecordAttempt'; readonly data: DeliveryOutcome }
  | { readonly type: 'ReplayDelivery'; readonly data: Reference & { readonly replayedAt: string } }
  | {
      readonly type: 'CancelDelivery';
      readonly data: Reference & { readonly cancelledAt: string };
    };

export interface WebhookDeliveryState {
  readonly message: WebhookDeliveryQueued['data'] | null;
  readonly status: 'absent' | 'waiting' | 'ended' | 'cancelled';
  readonly attempts: number;
  /** Attempts since the message was queued or replayed. */
  readonly attemptsOfRound: number;
}

const initialState: WebhookDeliveryState = {
  message: null,
  status: 'absent',
  attempts: 0,
  attemptsOfRound: 0,
};

const evolve = (
  state: WebhookDeliveryState,
  { type, data }: WebhookDeliveryEvent,
): WebhookDeliveryState => {
  switch (type) {
    case 'WebhookDeliveryQueued':
      return { ...state, message: data, status: 'waiting' };
    case 'WebhookDeliveryAttempted':
      return {
        ...state,
        status: data.nextAttemptAt === null ? 'ended' : 'waiting',
        attempts: data.attempt,
        attemptsOfRound: state.attemptsOfRound + 1,
      };
    case 'WebhookDeliveryReplayed':
      return { ...state, status: 'waiting', attemptsOfRound: 0 };
    case 'WebhookDeliveryCancelled':
      return { ...state, status: 'cancelled' };
  }
};

const record = (
  { retryAt, ...outcome }: DeliveryOutcome,
  { message, status, attempts, attemptsOfRound }: WebhookDeliveryState,
): readonly WebhookDeliveryEvent[] => {
  if (!message || status !== 'waiting' || outcome.attempt !== attempts + 1) return [];
  const { accountId, endpointId, queuedAt } = message;
  const nextAttemptAt = outcome.isDelivered ? null : (retryAt[attemptsOfRound] ?? null);
  const facts = { ...outcome, accountId, endpointId, queuedAt, nextAttemptAt };
  return [WebhookDeliveryAttempted.of(facts)];
};

/** One message to one endpoint, until it is delivered or given up. */
export const webhookDeliveryDecider: Decider<
  WebhookDeliveryCommand,
  WebhookDeliveryState,
  WebhookDeliveryEvent
> = {
  initialState,
  decide: ({ type, data }, state) => {
    if (type === 'QueueDelivery') {
      return state.status === 'absent' ? [WebhookDeliveryQueued.of(data)] : [];
    }
    const { message, status } = state;
    const { deliveryId } = data;
    if (!message) return reject('webhook_delivery_not_found', `there is no delivery ${deliveryId}`);
    const { accountId, endpointId, queuedAt } = message;
    const facts = { deliveryId, accountId, endpointId, queuedAt };
    switch (type) {
      case 'RecordAttempt':
        return record(data, state);
      case 'ReplayDelivery':
        if (status === 'waiting') return [];
        if (status === 'cancelled') {
          return reject('webhook_delivery_cancelled', 'the webhook of the delivery was deleted');
        }
        return [WebhookDeliveryReplayed.of({ ...facts, replayedAt: data.replayedAt })];
      case 'CancelDelivery':
        if (status === 'cancelled') return [];
        return [WebhookDeliveryCancelled.of({ ...facts, cancelledAt: data.cancelledAt })];
    }
  },
  evolve,
};
