import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type AccountEvent } from '#events/billing/account.events.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type AccountCommand, accountDecider } from './account.decider.js';
import { ACCOUNT, capture, deposit, open, place } from './account.fixture.js';
import { DEPOSITS_KEPT } from './account.state.js';
import { BURN_WINDOW_HOURS } from './account-overview.handler.js';
import { accountSnapshots } from './account.snapshot.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { chargesByMinute } from '#projections/billing/charges-by-minute.projection.js';
import { type Accounts, accountStream } from './accounts.js';
import { type Billing, openBilling } from './billing-world.fixture.js';

const DAYS = 10;
const DAY_MS = 86_400_000;
const END_MS = Date.parse('2026-11-21T05:00:00.000Z');
const APPEND_MAX = 500;
const { decide, evolve, initialState } = accountDecider;

const at = (ms: number): string => new Date(ms).toISOString();

/** Chats that are spread evenly over ten days. */
const chats = (count: number): AccountCommand[] =>
  Array.from({ length: count }, (_, n) => {
    const holdId = randomUUID();
    const placedAt = at(END_MS - DAYS * DAY_MS + Math.floor((n * DAYS * DAY_MS) / count));
    const held = place([10, 10], { holdId });
    const charged = capture([10, 5], holdId);
    return [
      { ...held, data: { ...held.data, placedAt } },
      { ...charged, data: { ...charged.data, capturedAt: placedAt } },
    ];
  }).flat();

const isOfOverview = (collection: string): boolean =>
  [accountOverview, chargesByMinute].some(({ name }) => collection.startsWith(name));

/** Counts reads of the stores from now on: of all events, and of the documents of an overview. */
const countReads = ({ eventStore, readStore }: Billing) => {
  const counts = { events: 0, eventReads: 0, documents: 0, documentReads: 0 };
  const readEvents = eventStore.read.bind(eventStore);
  const read: typeof readEvents = async function* (...args) {
    counts.eventReads += 1;
    for await (const page of readEvents(...args)) {
      counts.events += page.length;
      yield page;
    }
  };
  Object.assign(eventStore, { read });
  const getDocument = readStore.get.bind(readStore);
  const get: typeof getDocument = async (...args) => {
    if (!isOfOverview(args[0])) return getDocument(...args);
    counts.documentReads += 1;
    counts.documents += 1;
    return getDocument(...args);
  };
  const listDocuments = readStore.list.bind(readStore);
  const list: typeof listDocuments = async <Document extends object>(
    ...args: Parameters<typeof listDocuments>
  ) => {
    const found = await listDocuments<Document>(...args);
    counts.documentReads += 1;
    counts.documents += found.length;
    return found;
  };
  Object.assign(readStore, { get, list });
  return counts;
};

describe('an account with a long history', () => {
  let billing: Billing | undefined;

  afterEach(() => billing?.close());

  /** Appends in large batches, as the history of many days would be. */
  const grow = async (world: Billing, commands: readonly AccountCommand[]): Promise<void> => {
    const { state: before, position } = await world.accounts.stateOf(accountStream(ACCOUNT));
    let state = position === 0n ? initialState : before;
    let revision: bigint | 'no-stream' = position === 0n ? 'no-stream' : position - 1n;
    const codec = world.codec;
    for (let from = 0; from < commands.length; from += APPEND_MAX) {
      const events = commands.slice(from, from + APPEND_MAX).flatMap((command) => {
        const decided: readonly AccountEvent[] = decide(command, state);
        state = decided.reduce(evolve, state);
        const context = contextOf(randomUUID(), 'spec');
        const stream = accountStream(ACCOUNT);
        return decided.map((event, n) => codec.store(event, stream, command.type, context, n));
      });
      ({ revision } = await world.eventStore.append(accountStream(ACCOUNT), events, revision));
    }
  };

  const run = (accounts: Accounts, command: AccountCommand) =>
    accounts.run(accountStream(ACCOUNT), command, contextOf(randomUUID(), 'spec'));

  /** The reads of a start, a chat after it, and an overview. */
  const readsOf = async (chatsBefore: number) => {
    billing = await openBilling({ now: () => END_MS });
    await grow(billing, [open, deposit(1_000_000_000), ...chats(chatsBefore)]);
    // The last fold before the restart takes a snapshot where one is due.
    await billing.accounts.stateOf(accountStream(ACCOUNT));
    await grow(billing, chats(1_000));
    await billing.overview(ACCOUNT);
    const counts = countReads(billing);
    const restarted = billing.restarted();
    await run(restarted, place([10, 10]));
    const start = { ...counts };
    await run(restarted, capture([10, 5]));
    await run(restarted, place([10, 10], { holdId: randomUUID() }));
    const chat = counts.eventReads - start.eventReads;
    // The read models have reached the log now.
    await billing.overview(ACCOUNT);
    const before = { ...counts };
    await billing.overview(ACCOUNT);
    const overview = {
      reads: counts.documentReads - before.documentReads,
      documents: counts.documents - before.documents,
      events: counts.events - before.events,
    };
    return { start: start.events, startReads: start.eventReads, chat, overview };
  };

  it('reads no more for a start, a chat and an overview than a short one', async () => {
    const short = await readsOf(1_000);
    await billing?.close();
    const long = await readsOf(6_000);
    // A start folds only the events after the last snapshot.
    expect(long.start).toBeLessThanOrEqual(accountSnapshots.every);
    expect(long.startReads).toBeLessThanOrEqual(short.startReads + 1);
    expect(long.chat).toBe(0);
    expect(short.chat).toBe(0);
    expect(long.overview.reads).toBe(short.overview.reads);
    expect(long.overview.events).toBe(0);
    expect(long.overview.documents).toBeLessThanOrEqual(BURN_WINDOW_HOURS * 60 + 2);
  });

  it('keeps its latest deposits in the state, and credits an old one once', async () => {
    const world = await openBilling({ now: () => END_MS });
    billing = world;
    const ids = Array.from({ length: DEPOSITS_KEPT + 2 }, (_, n) => `deposit-${n}`);
    await grow(world, [open, ...ids.slice(0, -1).map((id) => deposit(10, id))]);
    await world.run(deposit(10, ids.at(-1)));
    const { state } = await world.accounts.stateOf(accountStream(ACCOUNT));
    expect(state.deposits.size).toBe(DEPOSITS_KEPT);
    expect((await world.run(deposit(10, 'deposit-0'))).events).toEqual([]);
    await expect(world.run(deposit(11, 'deposit-1'))).rejects.toMatchObject({
      code: 'deposit_conflict',
    });
    const { events } = await world.run(deposit(10, 'another'));
    expect(events).toMatchObject([
      { data: { depositNumber: DEPOSITS_KEPT + 3, availableMicroUsd: '10030' } },
    ]);
    expect((await world.run(deposit(10, 'another'))).events).toEqual([]);
  });
});
