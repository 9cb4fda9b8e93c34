import { describe, expect, it, jest } from '@jest/globals';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { markOf } from '#platform/event-store/log-mark.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore } from '../faulty-stores.fake.js';
import { ProjectionHandler } from './projection-handler.js';
import {
  add,
  anyContext,
  warehouses,
  stockCodec,
  stockDecider,
  stockEvents,
} from '../stock.fixture.js';

/** Documents that stay in memory. */
const KEPT_MAX = 10_000;

describe('the handler of a projection', () => {
  const open = () => {
    const store = new FaultyEventStore();
    const readStore = new FaultyReadStore();
    const codec = stockCodec();
    const runner = new CommandRunner({
      decider: stockDecider,
      eventStore: store,
      codec: codec.for(stockEvents),
    });
    const handler = new ProjectionHandler(warehouses, 'warehouses.v1.g1', readStore, codec);
    return { store, readStore, runner, handler };
  };

  const fill = async (runner: ReturnType<typeof open>['runner']) => {
    for (const warehouse of ['a', 'b', 'a'])
      await runner.run(`warehouse-${warehouse}`, add(warehouse, 2), anyContext());
  };

  it('saves documents and checkpoint in one write, each document once', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const { events } = store.log;
    await handler.checkpoint();
    await handler.handle({ events, position: 7n, caughtUp: true });
    expect(readStore.committed).toEqual([
      {
        writes: [
          {
            collection: 'warehouses.v1.g1',
            key: 'a',
            document: { pieces: 4, events: 2 },
            position: 7n,
          },
          {
            collection: 'warehouses.v1.g1',
            key: 'b',
            document: { pieces: 2, events: 1 },
            position: 4n,
          },
        ],
        checkpoint: {
          name: 'warehouses.v1.g1',
          position: 7n,
          event: markOf(store.log.events[2] as RecordedEvent),
        },
      },
    ]);
  });

  it('writes no document that its events left as it was, and saves the checkpoint', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    await handler.checkpoint();
    await handler.handle({ events: store.log.events, position: 7n, caughtUp: true });
    const idle: AnyProjection = { ...warehouses, project: (_event, before) => before as object };
    const codec = stockCodec();
    const other = new ProjectionHandler(idle, 'warehouses.v1.g1', readStore, codec);
    await runner.run('warehouse-a', add('a', 2), anyContext());
    const { events } = store.log;
    await other.checkpoint();
    await other.handle({ events: events.slice(-1), position: 9n, caughtUp: true });
    const { writes, checkpoint } = readStore.committed.at(-1) ?? {};
    expect([writes, checkpoint?.position]).toEqual([[], 9n]);
    expect((await readStore.get('warehouses.v1.g1', 'a'))?.position).toBe(7n);
  });

  it('applies an event once, however often it comes', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const batch = { events: store.log.events, position: 7n, caughtUp: true };
    await handler.checkpoint();
    await handler.handle(batch);
    await handler.handle(batch);
    await handler.checkpoint();
    await handler.handle(batch);
    expect((await readStore.get('warehouses.v1.g1', 'a'))?.document).toEqual({
      pieces: 4,
      events: 2,
    });
  });

  it.each(['fail-before', 'fail-after', 'twice'] as const)(
    'comes out right when its write meets %s',
    async (fault) => {
      const { store, readStore, runner, handler } = open();
      await fill(runner);
      readStore.commits.plan(fault);
      const batch = { events: store.log.events, position: 7n, caughtUp: true };
      await handler.checkpoint();
      await handler.handle(batch).catch(() => handler.checkpoint());
      await handler.handle(batch);
      expect((await readStore.get('warehouses.v1.g1', 'a'))?.document).toEqual({
        pieces: 4,
        events: 2,
      });
    },
  );

  it('continues from the store after a write that landed without an answer', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const [first, second, third] = store.log.events as [
      RecordedEvent,
      RecordedEvent,
      RecordedEvent,
    ];
    await runner.run('warehouse-a', add('a', 2), anyContext());
    const last = store.log.events[3] as RecordedEvent;
    await handler.checkpoint();
    await handler.handle({ events: [first, second], position: second.position, caughtUp: true });
    readStore.commits.plan('fail-after');
    const landed = { events: [third], position: third.position, caughtUp: true };
    await expect(handler.handle(landed)).rejects.toThrow();
    expect(await handler.checkpoint()).toBe(third.position);
    await handler.handle({ events: [last], position: last.position, caughtUp: true });
    expect((await readStore.get('warehouses.v1.g1', 'a'))?.document).toEqual({
      pieces: 6,
      events: 3,
    });
  });

  it('loads the documents of a batch together, and none that an event writes whole', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const bothAsked = Promise.withResolvers<undefined>();
    const gets = jest.spyOn(readStore, 'get').mockImplementation(async (_, key) => {
      if (key === 'b') bothAsked.resolve(undefined);
      await bothAsked.promise;
      return undefined;
    });
    const batch = { events: store.log.events, position: 7n, caughtUp: true };
    await handler.checkpoint();
    await handler.handle(batch);
    expect(gets.mock.calls.map(([, key]) => key)).toEqual(['a', 'b']);
    const whole: AnyProjection = { ...warehouses, isWrittenWhole: true };
    const other = new ProjectionHandler(whole, 'others.v1.g1', readStore, stockCodec());
    await other.checkpoint();
    await other.handle(batch);
    expect(gets).toHaveBeenCalledTimes(2);
    gets.mockRestore();
    expect((await readStore.get('others.v1.g1', 'b'))?.document).toEqual({ pieces: 2, events: 1 });
  });

  it('folds the events of a document in order behind one that is loaded first', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    await handler.checkpoint();
    const [first] = store.log.events as [RecordedEvent];
    await handler.handle({ events: [first], position: first.position, caughtUp: true });
    const gets = jest.spyOn(readStore, 'get');
    // The first of them is for a document that is not in memory, the second for one that is.
    await handler.handle({ events: store.log.events.slice(1), position: 7n, caughtUp: true });
    expect(gets.mock.calls.map(([, key]) => key)).toEqual(['b']);
    const written = readStore.committed.at(-1)?.writes;
    expect(written?.map(({ key, document }) => [key, document])).toEqual([
      ['b', { pieces: 2, events: 1 }],
      ['a', { pieces: 4, events: 2 }],
    ]);
  });

  it('reads a document again that has left memory for others', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const [sample] = store.log.events as [RecordedEvent];
    const added = (warehouse: string, at: number): RecordedEvent => ({
      ...sample,
      data: { ...sample.data, warehouse },
      position: BigInt(at),
    });
    const hand = (events: readonly RecordedEvent[]) =>
      handler.handle({ events, position: events.at(-1)?.position ?? 0n, caughtUp: true });
    await handler.checkpoint();
    const many = Array.from({ length: KEPT_MAX + 1 }, (_, index) => added(`w${index}`, index + 1));
    await hand(many);
    const gets = jest.spyOn(readStore, 'get');
    await hand([added('w0', KEPT_MAX + 2), added(`w${KEPT_MAX}`, KEPT_MAX + 3)]);
    expect(gets.mock.calls.map(([, key]) => key)).toEqual(['w0']);
    for (const key of ['w0', `w${KEPT_MAX}`]) {
      const found = await readStore.get('warehouses.v1.g1', key);
      expect(found?.document).toEqual({ pieces: 4, events: 2 });
    }
  });

  it('writes no checkpoint without effects until it is far behind', async () => {
    const { readStore, handler } = open();
    await handler.checkpoint();
    await handler.handle({ events: [], position: 9_999n, caughtUp: true });
    expect(readStore.committed).toEqual([]);
    await handler.handle({ events: [], position: 10_000n, caughtUp: true });
    expect(await handler.checkpoint()).toBe(10_000n);
  });

  it('passes over a type whose name only starts like one of its own', async () => {
    const { store, readStore, runner, handler } = open();
    await fill(runner);
    const longer = store.log.events.map((event) => ({ ...event, type: `${event.type}Twice` }));
    await handler.handle({ events: longer, position: 7n, caughtUp: true });
    expect(readStore.committed).toEqual([]);
  });
});
