import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, UserId } from '../vocabulary.js';

/** The type of a message: words joined by dots, or the stored name of an event. */
export const MessageType = z
  .string()
  .regex(/^([a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+|[A-Z][A-Za-z0-9]*)$/)
  .max(100);

/**
 * `standard`: `{ type, timestamp, account_id, data }`; `slack`: a text for a Slack webhook; `mail`:
 * a text to the owner of the account.
 */
export const MessageFormat = z.enum(['standard', 'slack', 'mail']);
export type MessageFormat = z.infer<typeof MessageFormat>;

/** A text that the key of its user opens. */
const Sealed = z.string().min(1).max(8_192);

/** The endpoints of an account: one stream `webhooks-<account>`. */
export const WebhookEndpointCreated = defineEvent('WebhookEndpointCreated', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    endpointId: z.uuid(),
    /** Whose key seals the address and the secret. */
    userId: UserId,
    sealedUrl: Sealed,
    sealedSecret: Sealed,
    /** Empty: every notification, and no event. */
    types: z.array(MessageType).max(50),
    format: MessageFormat,
    createdAt: Instant,
  }),
});
export type WebhookEndpointCreated = EventOf<typeof WebhookEndpointCreated>;

export const WebhookEndpointDeleted = defineEvent('WebhookEndpointDeleted', {
  version: 1,
  schema: z.strictObject({ accountId: AccountId, endpointId: z.uuid(), deletedAt: Instant }),
});
export type WebhookEndpointDeleted = EventOf<typeof WebhookEndpointDeleted>;

export type WebhookEndpointEvent = WebhookEndpointCreated | WebhookEndpointDeleted;

export const webhookEndpointEvents = [WebhookEndpointCreated, WebhookEndpointDeleted] as const;

/** One message to one endpoint: a stream `webhookdelivery-<id>`. */
const delivery = {
  deliveryId: z.uuid(),
  accountId: AccountId,
  endpointId: z.uuid(),
  queuedAt: Instant,
};

export const WebhookDeliveryQueued = defineEvent('WebhookDeliveryQueued', {
  version: 1,
  schema: z.strictObject({
    ...delivery,
    /** The same for every endpoint and every attempt: the header `webhook-id`. */
    messageId: z.string().regex(/^msg_[0-9a-f-]{36}$/),
    notification: MessageType,
    /** Of the data of an event; absent for other messages. */
    eventVersion: z.int().positive().exactOptional(),
    body: z.record(z.string(), z.json()),
    occurredAt: Instant,
  }),
});
export type WebhookDeliveryQueued = EventOf<typeof WebhookDeliveryQueued>;

export const WebhookDeliveryAttempted = defineEvent('WebhookDeliveryAttempted', {
  version: 1,
  schema: z.strictObject({
    ...delivery,
    /** From 1, replays included. */
    attempt: z.int().positive(),
    isDelivered: z.boolean(),
    /** The status of the endpoint's answer; null where there was none. */
    statusCode: z.int().min(100).max(599).nullable(),
    /** Why there is none; null with one. */
    failure: z.string().max(300).nullable(),
    attemptedAt: Instant,
    /** Null: there is no further attempt. */
    nextAttemptAt: Instant.nullable(),
  }),
});
export type WebhookDeliveryAttempted = EventOf<typeof WebhookDeliveryAttempted>;

/** The account asked for the message again. */
export const WebhookDeliveryReplayed = defineEvent('WebhookDeliveryReplayed', {
  version: 1,
  schema: z.strictObject({ ...delivery, replayedAt: Instant }),
});
export type WebhookDeliveryReplayed = EventOf<typeof WebhookDeliveryReplayed>;

/** The endpoint no longer exists, or can no longer be read. */
export const WebhookDeliveryCancelled = defineEvent('WebhookDeliveryCancelled', {
  version: 1,
  schema: z.strictObject({ ...delivery, cancelledAt: Instant }),
});
export type WebhookDeliveryCancelled = EventOf<typeof WebhookDeliveryCancelled>;

export type WebhookDeliveryEvent =
  | WebhookDeliveryQueued
  | WebhookDeliveryAttempted
  | WebhookDeliveryReplayed
  | WebhookDeliveryCancelled;

export const webhookDeliveryEvents = [
  WebhookDeliveryQueued,
  WebhookDeliveryAttempted,
  WebhookDeliveryReplayed,
  WebhookDeliveryCancelled,
] as const;
