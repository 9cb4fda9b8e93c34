import { type MessageFormat, type WebhookDeliveryQueued } from '#events/webhooks/webhook.events.js';

type Message = Pick<
  WebhookDeliveryQueued['data'],
  'notification' | 'eventVersion' | 'occurredAt' | 'accountId' | 'body'
>;

/** Slack's limit for the text of a message is 40,000 characters; a short one is read. */
const TEXT_LENGTH_MAX = 2_000;

const standardBody = ({
  notification: type,
  eventVersion: version,
  occurredAt: timestamp,
  accountId: account_id,
  body: data,
}: Message): string => JSON.stringify({ type, version, timestamp, account_id, data });

/** Slack reads these three characters as markup. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The facts that are not null, in their order. */
const factsOf = (body: Message['body']): string =>
  Object.entries(body)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');

const titleOf = ({ notification, accountId }: Message): string =>
  `${notification} of account ${accountId}`;

const mailBody = (message: Message): string =>
  `${titleOf(message)}\n${message.occurredAt}\n\n${factsOf(message.body)}`.slice(
    0,
    TEXT_LENGTH_MAX,
  );

const slackBody = ({ notification, accountId, body }: Message): string => {
  const text = `*${notification}* of account ${accountId}\n${escaped(factsOf(body))}`;
  return JSON.stringify({ text: text.slice(0, TEXT_LENGTH_MAX) });
};

/** The body of a request to an endpoint, by the endpoint's format. */
export const BODY_OF: Readonly<Record<MessageFormat, (message: Message) => string>> = {
  standard: standardBody,
  slack: slackBody,
  mail: mailBody,
};
