import { z } from 'zod';
import { describe, expect, it } from '@jest/globals';
import { Map as ImmutableMap } from 'immutable';
import { alertEvents, AlertRulesSet } from '#events/alerts/alert.events.js';
import { type AnyEventDefinition, defineEvent } from '#events/definition.js';
import { AccountId, UserId } from '#events/vocabulary.js';
import { WebhookEndpointCreated, webhookEndpointEvents } from '#events/webhooks/webhook.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { EVENT_MESSAGES_A_MINUTE, EventSubscribers, WAITING_MAX } from './event-subscribers.js';
import { EVENT_BYTES_MAX, NotificationQueue, SKIPPED_TYPE } from './notification-queue.js';
import { type WebhookDeliveryCommand } from './webhook-delivery.decider.js';

const TextNoted = defineEvent('TextNoted', {
  version: 3,
  schema: z.strictObject({ accountId: AccountId, text: z.string() }),
});

const CREATED_AT = '2026-11-26T10:00:00.000Z';
const ENDPOINT = '01890a5d-ac96-774b-8cce-000000000001';
const endpoint: WebhookEndpointCreated['data'] = {
  accountId: '7',
  endpointId: ENDPOINT,
  userId: UserId.parse(7),
  sealedUrl: 'sealed-url',
  sealedSecret: 'sealed-secret',
  types: ['AlertRulesSet', 'TextNoted'],
  format: 'standard',
  createdAt: CREATED_AT,
};
const rules = {
  balanceBelowMicroUsd: null,
  daysLeftBelow: 3,
  spendAnomaly: false,
  keyEndsWithinDays: null,
  rigDown: false,
};

let next = 0;
const recorded = (
  { type, data }: { readonly type: string; readonly data: object },
  recordedAt = '2026-11-26T10:01:00.000Z',
): RecordedEvent => {
  next += 1;
  const id = `01890a5d-ac96-774b-8cce-${String(next).padStart(12, '0')}`;
  const metadata = { version: 1, correlationId: id, causationId: id, requestId: id, actor: 'spec' };
  const place = { stream: 'alerts-7', revision: BigInt(next), position: BigInt(next) };
  return { id, type, data, metadata, ...place, recordedAt };
};
const rulesOf = (accountId: string, at?: string) =>
  recorded(AlertRulesSet.of({ accountId, rules, setAt: CREATED_AT }), at);

interface Start {
  readonly known?: readonly WebhookEndpointCreated['data'][];
  readonly waiting?: number;
}

/** A queue over fakes that record what it queues. */
const queueOf = async ({ known = [endpoint], waiting = 0 }: Start = {}) => {
  const queued: (WebhookDeliveryCommand & { readonly type: 'QueueDelivery' })['data'][] = [];
  let commits = 0;
  const codec = new EventCodec([...alertEvents, ...webhookEndpointEvents, TextNoted]);
  const documents = known.map((one) => ({ key: one.endpointId, document: { endpoint: one } }));
  const accountEvents = new Map<string, AnyEventDefinition>([
    [AlertRulesSet.type, AlertRulesSet],
    [TextNoted.type, TextNoted],
  ]);
  const subscribers = new EventSubscribers(accountEvents, {
    projections: {
      list: () => Promise.resolve({ documents, position: 0n }) as never,
      count: () => Promise.resolve(waiting),
    },
    eventStore: { readAll: async function* () {} },
    codec,
  });
  const queue = new NotificationQueue({
    notifications: [],
    accountEvents,
    subscribers,
    codec,
    streams: {
      endpointsOf: () => Promise.resolve({ endpoints: ImmutableMap([[ENDPOINT, endpoint]]) }),
      onDelivery: (command) => {
        if (command.type === 'QueueDelivery') queued.push(command.data);
        return Promise.resolve();
      },
    },
    readStore: {
      checkpoint: () => Promise.resolve(undefined),
      commit: () => Promise.resolve(void (commits += 1)),
    } as never,
    clock: { now: () => Date.parse(CREATED_AT) },
    onQueued: () => undefined,
  });
  await queue.checkpoint();
  const handle = (...events: readonly RecordedEvent[]) =>
    queue.handle({ events, position: 1n, caughtUp: true });
  return { queued, handle, commits: () => commits };
};

describe('the queue of messages', () => {
  it('has an event of an account for the endpoint that asks for it', async () => {
    const { queued, handle } = await queueOf();
    const event = rulesOf('7');
    await handle(event);
    expect(queued).toMatchObject([
      {
        accountId: '7',
        endpointId: ENDPOINT,
        notification: 'AlertRulesSet',
        eventVersion: 1,
        body: { accountId: '7', rules },
        occurredAt: event.recordedAt,
      },
    ]);
  });

  it('has no event of another account, and none from before the endpoint', async () => {
    const { queued, handle, commits } = await queueOf();
    await handle(rulesOf('8'));
    expect([queued, commits()]).toEqual([[], 0]);
    await handle(rulesOf('7', '2026-11-26T09:59:59.999Z'));
    expect([queued, commits()]).toEqual([[], 1]);
  });

  it('learns of new endpoints from the log', async () => {
    const { queued, handle } = await queueOf({ known: [] });
    await handle(rulesOf('7'));
    expect(queued).toEqual([]);
    await handle(recorded(WebhookEndpointCreated.of(endpoint), CREATED_AT), rulesOf('7'));
    expect(queued).toHaveLength(1);
  });

  it('derives the ids of messages from the event', async () => {
    const { queued, handle } = await queueOf();
    const event = rulesOf('7');
    await handle(event, rulesOf('7'));
    await handle(event);
    const ids = queued.map(({ messageId, deliveryId }) => `${messageId} ${deliveryId}`);
    expect([ids[0] === ids[2], ids[0] === ids[1]]).toEqual([true, false]);
  });

  it('has so many events in a minute, and a message that others are left out', async () => {
    const { queued, handle } = await queueOf();
    const many = Array.from({ length: EVENT_MESSAGES_A_MINUTE + 5 }, () => rulesOf('7'));
    await handle(...many);
    expect(queued).toHaveLength(EVENT_MESSAGES_A_MINUTE + 1);
    expect(queued.at(-1)).toMatchObject({
      notification: SKIPPED_TYPE,
      body: { minute: '2026-11-26T10:01Z', messages_a_minute: EVENT_MESSAGES_A_MINUTE },
    });
    await handle(rulesOf('7', '2026-11-26T10:02:00.000Z'));
    expect(queued.at(-1)?.notification).toBe('AlertRulesSet');
  });

  it('has no more events for an endpoint that many messages wait for', async () => {
    const { queued, handle } = await queueOf({ waiting: WAITING_MAX - 1 });
    await handle(rulesOf('7'), rulesOf('7'), rulesOf('7'));
    expect(queued.map(({ notification }) => notification)).toEqual(['AlertRulesSet', SKIPPED_TYPE]);
  });

  it('says how large an event is that is too large to send', async () => {
    const { queued, handle } = await queueOf();
    const noteOf = (length: number) =>
      recorded(TextNoted.of({ accountId: '7', text: 'x'.repeat(length) }));
    const rest = JSON.stringify({ accountId: '7', text: '' }).length;
    const [fits, large] = [noteOf(EVENT_BYTES_MAX - rest), noteOf(EVENT_BYTES_MAX - rest + 1)];
    await handle(
      ...[fits, large].map((one) => ({ ...one, metadata: { ...one.metadata, version: 3 } })),
    );
    expect(queued.map(({ body }) => body)).toEqual([
      fits.data,
      { omitted_bytes: EVENT_BYTES_MAX + 1 },
    ]);
  });
});
