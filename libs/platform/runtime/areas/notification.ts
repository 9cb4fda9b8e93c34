import { type z } from 'zod';
import { type DefinitionsOf, type DomainEvent } from '#platform/kernel/projection.js';

/**
 * A message about an event for the owner of an account. The area `webhooks` delivers the
 * notifications of every area to the endpoints that the account has registered.
 */
export interface NotificationDeclaration<Event extends DomainEvent> {
  /** The filter key of subscribers: two or more words in lower case, joined by dots. */
  readonly type: string;
  /** A sentence for the OpenAPI document: when the message is sent. */
  readonly description: string;
  /** Of `body`, for the OpenAPI document. */
  readonly schema: z.ZodObject;
  /** Every event it reads; it never receives another one. */
  readonly on: DefinitionsOf<Event>;
  /** Pure. The account whose endpoints receive it; null for an event without a notification. */
  readonly account: (event: Event) => string | null;
  /** Pure. JSON for the `data` of the message: no secret and nothing personal. */
  readonly body: (event: Event) => object;
}

/** A list of unlike notifications. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- `body` takes its own events
export type AnyNotification = NotificationDeclaration<any>;

const TYPE = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;
const TYPE_LENGTH_MAX = 100;

/**
 * Ties `account` and `body` to the events of `on`.
 * @throws RangeError for a type that is not words joined by dots
 */
export const defineNotification = <Event extends DomainEvent>(
  notification: NotificationDeclaration<Event>,
): NotificationDeclaration<Event> => {
  const { type } = notification;
  if (TYPE.test(type) && type.length <= TYPE_LENGTH_MAX) return notification;
  throw new RangeError(`not the type of a notification: ${type}`);
};
