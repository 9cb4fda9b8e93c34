import { z } from 'zod';
import { type AnyEventDefinition } from '#events/definition.js';
import { AccountId } from '#events/vocabulary.js';
import { webhookDeliveryEvents, webhookEndpointEvents } from '#events/webhooks/webhook.events.js';
import { type Areas } from '#platform/runtime/areas/area.js';

/** A message about a message would never end. */
const OWN_TYPES: ReadonlySet<string> = new Set(
  [...webhookEndpointEvents, ...webhookDeliveryEvents].map(({ type }) => type),
);

/** The events whose data names the account that they belong to: endpoints may ask for them. */
export const accountEventsOf = (areas: Areas): ReadonlyMap<string, AnyEventDefinition> =>
  new Map(
    areas.list
      .flatMap(({ events }) => events)
      .filter((definition) => isOfAccount(definition) && !OWN_TYPES.has(definition.type))
      .map((definition) => [definition.type, definition]),
  );

const isOfAccount = ({ schema }: AnyEventDefinition): boolean =>
  schema instanceof z.ZodObject && schema.shape['accountId'] === AccountId;

const Owned = z.object({ accountId: AccountId });

/** The account in the data of one of these events. */
export const accountOf = (data: unknown): string | null =>
  Owned.safeParse(data).data?.accountId ?? null;
