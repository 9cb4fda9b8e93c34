import { describe, expect, it } from '@jest/globals';
import { CommandRunner } from './command-runner.js';
import { FaultyEventStore, FaultyReadStore } from './faulty-stores.fake.js';
import { ProjectionHandler } from './projection-handler.js';
import {
  add,
  anyContext,
  warehouses,
  stockCodec,
  stockDecider,
  stockEvents,
} from './stock.fixture.js';

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
        checkpoint: { name: 'warehouses.v1.g1', position: 7n },
      },
    ]);
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
