import { type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { type Areas } from '#platform/runtime/areas/area.js';
import { type AnyNotification } from '#platform/runtime/areas/notification.js';

const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
});

/** The headers of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'The same in every attempt: a receiver recognises a repeat by it.'),
  header('webhook-timestamp', 'When this attempt was sent, in seconds since the Unix epoch.'),
  header('webhook-signature', '`v1,` and an HMAC-SHA256 in Base64, as in Standard Webhooks 1.0.0.'),
];

const RESPONSES = {
  '2XX': { description: 'The endpoint has the message.' },
  '4XX': { description: 'Like any other answer: the message is sent again after a pause.' },
};

/** Every event of accounts has one: its schema is at `GET /api/v1/webhooks/types/{type}`. */
const domainEvent = {
  type: 'domain_event',
  description:
    'An event of the account, as the log has it: the name of the event is its `type`. The schema ' +
    'of its data is at `GET /api/v1/webhooks/types/{type}`.',
  schema: z.looseObject({}),
};

const itemOf = (
  { type, description, schema }: Pick<AnyNotification, 'type' | 'description' | 'schema'>,
  fields: Readonly<Record<string, z.ZodType>> = { type: z.literal(type) },
) => {
  const message = z.strictObject({
    ...fields,
    timestamp: z.iso.datetime().describe('When the event was recorded.'),
    account_id: z.string().describe('Whose event it is.'),
    data: schema,
  });
  const { $schema: _dialect, ...body } = z.toJSONSchema(message, { target: 'draft-2020-12' });
  return {
    post: {
      operationId: type,
      tags: ['webhooks'],
      summary: type,
      description,
      security: [],
      parameters: HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: RESPONSES,
    },
  };
};

const EVENT_FIELDS = {
  type: z.string().describe('The name of the event.'),
  version: z.int().positive().describe('Of the schema of `data`.'),
};

/** The messages to the endpoints of an account, as the `webhooks` of the OpenAPI document. */
export const webhookItems = (areas: Areas): NonNullable<OpenAPIObject['webhooks']> =>
  Object.fromEntries([
    ...areas.notifications().map((notification) => [notification.type, itemOf(notification)]),
    [domainEvent.type, itemOf(domainEvent, EVENT_FIELDS)],
  ]) as NonNullable<OpenAPIObject['webhooks']>;
