import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Position, type SubscriptionBatch } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import { PollingRunner } from './polling-runner.js';
import {
  add,
  anyContext,
  silent,
  stockCodec,
  stockDecider,
  stockEvents,
  take,
} from '../stock.fixture.js';

/** So long that nothing happens by itself within a test. */
const NEVER_MS = 1_000_000;

const pollers: PollingRunner[] = [];
afterEach(async () => {
  await Promise.all(pollers.splice(0).map((poller) => poller.stop()));
});

const open = (pollMs = NEVER_MS) => {
  const store = new FaultyEventStore();
  const seen: Position[] = [];
  const failures: Error[] = [];
  const handler = {
    name: 'takes',
    types: ['PiecesTaken'],
    checkpoint: () => Promise.resolve(undefined),
    handle: ({ events }: SubscriptionBatch): Promise<void> => {
      const failure = events.length > 0 ? failures.shift() : undefined;
      if (failure) return Promise.reject(failure);
      seen.push(...events.map(({ position }) => position));
      return Promise.resolve();
    },
  };
  const poller = new PollingRunner(handler, store, pollMs, silent);
  pollers.push(poller);
  const codec = stockCodec();
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore: store,
    codec: codec.for(stockEvents),
  });
  const run = async (...commands: Parameters<typeof runner.run>[1][]): Promise<Position> => {
    for (const command of commands) await runner.run('warehouse-a', command, anyContext());
    return store.head();
  };
  const wanted = () =>
    store.log.events.filter(({ type }) => type === 'PiecesTaken').map(({ position }) => position);
  const live = () => eventually(() => poller.status().phase === 'live');
  return { store, handler, poller, run, seen, failures, wanted, live };
};

describe('a poller of the log', () => {
  it('hands on the wanted events in order, and still reaches the head', async () => {
    const { poller, run, seen, wanted, live } = open();
    const head = await run(add('a', 9), take('a', 1), take('a', 1), add('a', 1));
    poller.start();
    await live();
    expect(seen).toEqual(wanted());
    expect(poller.position).toBe(head);
    expect(poller.status()).toEqual({
      name: 'takes',
      phase: 'live',
      position: head,
      failure: null,
      retryAt: null,
    });
  });

  it('asks now and then', async () => {
    const { poller, run, seen, wanted, live } = open(5);
    poller.start();
    await live();
    await run(add('a', 9), take('a', 1));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(wanted());
  });

  it('asks at once for who waits, and says no when the time is up', async () => {
    const { poller, run, seen, live } = open();
    poller.start();
    await live();
    const head = await run(add('a', 9), take('a', 1));
    expect(seen).toEqual([]);
    expect(await Promise.all([poller.reach(head, 1_000), poller.reach(head, 1_000)])).toEqual([
      true,
      true,
    ]);
    expect(seen).toHaveLength(1);
    expect(await poller.reach(head + 1n, 20)).toBe(false);
  });

  it('reports that the log is unavailable, keeps its checkpoint and polls again', async () => {
    const { store, poller, run, seen, wanted, live } = open(5);
    const head = await run(add('a', 9), take('a', 1));
    store.reads.plan('fail-before', 'fail-before', 'fail-before');
    poller.start();
    await eventually(() => poller.status().phase === 'stopped');
    expect(poller.status()).toMatchObject({ failure: 'the log is away', position: 0n });
    expect(await poller.reach(head, 1_000)).toBe(true);
    await live();
    expect(poller.status().failure).toBeNull();
    expect(seen).toEqual(wanted());
  });

  it('hands on unhandled events again, and skips nothing', async () => {
    const { poller, run, seen, failures, wanted } = open(5);
    failures.push(new Error('not now'), new Error('nor now'));
    const head = await run(add('a', 9), take('a', 1), take('a', 1));
    poller.start();
    expect(await poller.reach(head, 1_000)).toBe(true);
    expect(seen).toEqual(wanted());
  });

  it('ends at once, and answers waiting callers', async () => {
    const { poller, live } = open();
    poller.start();
    await live();
    const waiting = poller.reach(100n, 60_000);
    await poller.stop();
    expect(await waiting).toBe(false);
    expect(await poller.reach(100n, 60_000)).toBe(false);
    expect(poller.status().phase).toBe('closed');
  });
});
