import { describe, expect, it } from '@jest/globals';
import { type EventOf } from '#events/definition.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore } from '../faulty-stores.fake.js';
import { SubscriptionRunner } from './subscription-runner.js';
import { RelayHandler, type Relay } from './outbox.js';
import {
  add,
  anyContext,
  movableClock,
  PiecesTaken,
  silent,
  stockCodec,
  stockDecider,
  stockEvents,
  take,
} from '../stock.fixture.js';

const sales: Relay<EventOf<typeof PiecesTaken>> = {
  name: 'sales',
  topic: 'sales',
  on: { PiecesTaken },
  toMessage: ({ data: { warehouse, pieces } }) =>
    pieces > 1 ? { key: warehouse, data: { sold: pieces } } : null,
};

const open = () => {
  const store = new FaultyEventStore();
  const readStore = new FaultyReadStore();
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore: store,
    codec: stockCodec().for(stockEvents),
  });
  const published: BusMessage[] = [];
  let busFailures = 0;
  const bus = {
    publish: (topic: string, messages: readonly BusMessage[]) => {
      expect(topic).toBe('sales');
      published.push(...messages);
      busFailures -= 1;
      return busFailures >= 0 ? Promise.reject(new Error('the bus is away')) : Promise.resolve();
    },
  } as unknown as Bus;
  const handler = () => new RelayHandler(sales, readStore, stockCodec(), bus);
  const sell = async (...pieces: readonly number[]) => {
    await runner.run('warehouse-a', add('a', 100), anyContext());
    for (const one of pieces) await runner.run('warehouse-a', take('a', one), anyContext());
  };
  const failBus = (times: number) => (busFailures = times);
  return { store, readStore, published, handler, sell, failBus };
};

describe('the outbox', () => {
  it('publishes the messages that its relay makes of events, and no others', async () => {
    const { store, published, handler, sell } = open();
    await sell(1, 2, 3);
    const { events } = store.log;
    await handler().handle({ events, position: 10n, caughtUp: true });
    expect(published).toMatchObject([
      { key: 'a', data: { sold: 2 }, headers: { eventId: events[2]?.id, type: 'PiecesTaken' } },
      { key: 'a', data: { sold: 3 }, headers: { eventId: events[3]?.id, type: 'PiecesTaken' } },
    ]);
  });

  it('saves its checkpoint after the bus has accepted the messages, not before', async () => {
    const { store, readStore, handler, sell, failBus } = open();
    await sell(2);
    const outbox = handler();
    const batch = { events: store.log.events, position: 4n, caughtUp: true };
    failBus(1);
    await expect(outbox.handle(batch)).rejects.toThrow('the bus is away');
    expect(await outbox.checkpoint()).toBeUndefined();
    await outbox.handle(batch);
    expect(await outbox.checkpoint()).toBe(4n);
    expect(readStore.committed).toHaveLength(1);
  });

  it('repeats messages under the same ids when its checkpoint could not be saved', async () => {
    const { store, readStore, published, handler, sell } = open();
    await sell(2, 3);
    readStore.commits.plan('fail-before');
    const subscription = new SubscriptionRunner(handler(), store, movableClock(), silent);
    subscription.start();
    expect(await subscription.reach(await store.head(), 5_000)).toBe(true);
    await subscription.stop();
    expect(published.length).toBeGreaterThan(2);
    expect(new Set(published.map(({ id }) => id)).size).toBe(2);
  });

  it('writes no checkpoint without effects until it is far behind', async () => {
    const { readStore, handler } = open();
    const outbox = handler();
    await outbox.checkpoint();
    await outbox.handle({ events: [], position: 9_999n, caughtUp: true });
    expect(readStore.committed).toEqual([]);
    await outbox.handle({ events: [], position: 10_000n, caughtUp: true });
    expect(await outbox.checkpoint()).toBe(10_000n);
  });
});
