import { afterEach, describe, expect, it } from '@jest/globals';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type AnySaga, type SagaCommand } from '#platform/kernel/saga.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { CommandRunner } from './command-runner.js';
import { type CommandContext } from './command-context.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from './faulty-stores.fake.js';
import { LOOK_AT, restockSaga, watchSaga } from './restock.fixture.js';
import { type TimerDocument } from './saga-documents.js';
import { SagaHandler } from './saga-handler.js';
import { Sagas } from './sagas.js';
import {
  add,
  anyContext,
  movableClock,
  PiecesAdded,
  PiecesTaken,
  WarehouseCleared,
  silent,
  stockCodec,
  type StockCommand,
  stockDecider,
  stockEvents,
  type StockEvent,
  take,
  until,
} from './stock.fixture.js';

interface Sent {
  readonly command: string;
  readonly data: unknown;
  readonly context: CommandContext;
}

const running: Sagas[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sagas) => sagas.stop()));
});

/** What outlives a process: the log, the documents, the bus and the clock on the wall. */
const openWorld = () => {
  const log = new MemoryLog();
  const readStore = new FaultyReadStore();
  const clock = movableClock();
  const sent: Sent[] = [];
  const published: BusMessage[] = [];
  const rejecting = new Map<string, Error>();
  const eventStore = new FaultyEventStore(log);
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore,
    codec: stockCodec().for(stockEvents),
  });

  const run = async (...commands: readonly StockCommand[]): Promise<void> => {
    for (const one of commands)
      await runner.run(`warehouse-${one.data.warehouse}`, one, anyContext());
  };

  const startSagas = (...list: readonly AnySaga[]) => {
    const bus: Pick<Bus, 'publish'> = {
      publish: (_, messages) => Promise.resolve(void published.push(...messages)),
    };
    const send = ({ type: command, data }: SagaCommand, context: CommandContext): Promise<void> => {
      const { warehouse } = data as { warehouse: string };
      const error = rejecting.get(warehouse);
      sent.push({ command, data, context });
      return error ? Promise.reject(error) : Promise.resolve();
    };
    const sagas = new Sagas(
      list.map((saga) => ({ saga, send })),
      new FaultyEventStore(log),
      readStore,
      stockCodec(),
      bus as Bus,
      clock,
      silent,
    );
    running.push(sagas);
    sagas.start();
    const caughtUp = async () => {
      expect(await sagas.reach(await eventStore.head(), 5_000)).toBe(true);
    };
    /** Moves the clock and fires what is due by then. */
    const at = async (instant: string) => {
      clock.nowMs = Date.parse(instant);
      await sagas.fireDueTimers();
      await sagas.fireDueTimers();
    };
    return { sagas, caughtUp, at };
  };

  const sentBy = (command: string) => sent.filter((one) => one.command === command);
  const timers = (saga: string) => readStore.list<TimerDocument>(`saga.${saga}.timers`);
  return { log, readStore, clock, sent, sentBy, published, rejecting, run, startSagas, timers };
};

describe('restocking', () => {
  const warehouse = sagaSpecOf(restockSaga);
  const added = PiecesAdded.of({ warehouse: 'a', pieces: 5, note: '' });
  const taken = PiecesTaken.of({ warehouse: 'a', takeId: 'one', pieces: 1, reason: 'sale' });
  const cleared = WarehouseCleared.of({ warehouse: 'a' });

  it('orders what was taken, publishes, and checks the warehouse later', () => {
    warehouse
      .given(added)
      .when(taken)
      .then(
        { kind: 'command', command: { type: 'Restock', data: { warehouse: 'a', takeId: 'one' } } },
        { kind: 'publish', topic: 'restocking', key: 'a', data: { warehouse: 'a' } },
        {
          kind: 'schedule',
          timer: 'look',
          dueAt: LOOK_AT,
          command: { type: 'Look', data: { warehouse: 'a' } },
        },
      );
  });

  it('has no look at a warehouse that was filled, and forgets one that was cleared', () => {
    warehouse.given(added, taken).when(added).then({ kind: 'cancel', timer: 'look' });
    warehouse.given(added).when(added).thenNothing();
    warehouse.given(added, taken).when(cleared).thenEnds();
  });
});

describe('a saga', () => {
  it('sends and publishes in order, under ids that follow from the event', async () => {
    const world = openWorld();
    const { caughtUp } = world.startSagas(restockSaga);
    await world.run(add('a', 9), take('a', 1, 'one'), take('a', 1, 'two'));
    await caughtUp();
    expect(world.sent.map(({ data }) => data)).toEqual([
      { warehouse: 'a', takeId: 'one' },
      { warehouse: 'a', takeId: 'two' },
    ]);
    const [, first] = world.log.events;
    expect(world.sent[0]?.context).toMatchObject({
      causationId: first?.id,
      correlationId: first?.metadata.correlationId,
      actor: 'saga:restock',
    });
    expect(world.published).toHaveLength(2);
    expect(
      new Set(
        [...world.published, ...world.sent.map(({ context }) => ({ id: context.requestId }))].map(
          ({ id }) => id,
        ),
      ).size,
    ).toBe(4);
  });

  it('sends nothing again after a restart', async () => {
    const world = openWorld();
    const first = world.startSagas(restockSaga);
    await world.run(add('a', 9), take('a', 1, 'one'));
    await first.caughtUp();
    await first.sagas.stop();
    await world.run(take('a', 1, 'two'));
    await world.startSagas(restockSaga).caughtUp();
    expect(world.sent.map(({ data }) => data)).toEqual([
      { warehouse: 'a', takeId: 'one' },
      { warehouse: 'a', takeId: 'two' },
    ]);
  });

  it('that could not save what it did does it again under the same ids', async () => {
    const world = openWorld();
    await world.run(add('a', 9), take('a', 1, 'one'));
    world.readStore.commits.plan('fail-before', 'fail-before', 'fail-before');
    const { caughtUp } = world.startSagas(restockSaga);
    await caughtUp();
    expect(world.sent.length).toBeGreaterThan(1);
    expect(new Set(world.sent.map(({ context }) => context.requestId)).size).toBe(1);
    expect(new Set(world.published.map(({ id }) => id)).size).toBe(1);
  });

  it('whose command is rejected stops there, and does not repeat what went before', async () => {
    const world = openWorld();
    world.rejecting.set('b', new DomainError('warehouse_closed'));
    // Few enough for one batch.
    await world.run(take('a', 0, 'one'), take('b', 0, 'two'));
    const { sagas, caughtUp } = world.startSagas(restockSaga);
    await until(() => sagas.status()[0]?.phase === 'stopped');
    expect(sagas.status()).toMatchObject([{ name: 'saga.restock', failure: 'warehouse_closed' }]);
    world.rejecting.clear();
    await caughtUp();
    expect(world.sent.map(({ data }) => (data as { takeId: string }).takeId)).toEqual([
      'one',
      'two',
      'two',
    ]);
  });

  it('saves how far it came before it failed', async () => {
    const { log, readStore, run } = openWorld();
    const send = ({ data }: SagaCommand): Promise<void> =>
      (data as { warehouse: string }).warehouse === 'a'
        ? Promise.resolve()
        : Promise.reject(new Error('no'));
    const handler = new SagaHandler(
      restockSaga,
      readStore,
      stockCodec(),
      createInProcessBus(),
      send,
    );
    await run(take('a', 0), take('b', 0));
    await handler.checkpoint();
    const batch = { events: log.events, position: 4n, caughtUp: true };
    await expect(handler.handle(batch)).rejects.toThrow('no');
    expect(await handler.checkpoint()).toBe(log.events[0]?.position);
  });

  it('writes nothing for a process that begins and ends between two saves', async () => {
    const world = openWorld();
    const { caughtUp, at } = world.startSagas(watchSaga);
    const { caughtUp: other } = world.startSagas(restockSaga);
    await world.run(add('a', 9), take('a', 1), add('a', 1));
    await caughtUp();
    await other();
    await at('2026-01-01T00:00:00.000Z');
    const written = world.readStore.committed.flatMap(({ writes }) => writes);
    expect(written.filter(({ collection }) => collection === 'saga.watch.timers')).toEqual([]);
  });

  describe('whose process has just begun', () => {
    const openHandler = async (saga: AnySaga = watchSaga) => {
      const world = openWorld();
      const { log, readStore, run, timers } = world;
      const open = async (): Promise<SagaHandler> => {
        const codec = stockCodec();
        const send = () => Promise.resolve();
        const one = new SagaHandler(saga, readStore, codec, createInProcessBus(), send);
        await one.checkpoint();
        await one.handle({ events: [], position: 0n, caughtUp: true });
        return one;
      };
      const handler = await open();
      /** Hands on what was done since. */
      const after = async (...commands: readonly StockCommand[]): Promise<void> => {
        const from = log.events.length;
        await run(...commands);
        const events = log.events.slice(from);
        await handler.handle({ events, position: await head(), caughtUp: true });
      };
      const head = () => new FaultyEventStore(log).head();
      const written = () => readStore.committed.flatMap(({ writes }) => writes);
      const checkpoint = () => readStore.checkpoint('saga.watch');
      return { ...world, handler, after, head, written, checkpoint, timers, open };
    };

    it('writes nothing for it when it ends before the second save', async () => {
      const evolve = (_: object, { type }: StockEvent) =>
        type === 'PiecesAdded' ? null : { low: true };
      const { handler, after, head, written, checkpoint } = await openHandler({
        ...watchSaga,
        evolve,
      });
      await after(take('a', 0));
      await handler.save();
      await after(add('a', 1));
      await handler.save();
      await handler.save();
      expect(written()).toEqual([]);
      expect(await checkpoint()).toBe(await head());
    });

    it('keeps the checkpoint before it, until the second save writes it', async () => {
      const { handler, after, head, checkpoint, timers, log } = await openHandler();
      await after(add('b', 1), take('a', 0), take('b', 1));
      const [first] = log.events;
      await handler.save();
      expect(await checkpoint()).toBeLessThan(first?.position ?? 0n);
      expect(await timers('watch')).toEqual([]);
      await after(take('c', 0));
      await handler.save();
      expect((await timers('watch')).map(({ key }) => key.split(' ')[1])).toEqual(['a', 'b']);
      expect(await checkpoint()).toBe((await head()) - 1n);
    });

    it('holds the checkpoint back for some thousand events, and no more', async () => {
      const { handler, after, checkpoint, log } = await openHandler();
      await after(take('a', 0), add('b', 1));
      await handler.save();
      const [begun, other] = log.events;
      if (!begun || !other) throw new Error('nothing was written');
      expect(await checkpoint()).toBe(begun.position - 1n);
      const events = Array.from({ length: 5_001 }, (_, n) => {
        return { ...other, position: other.position + BigInt(n + 1) };
      });
      const { position = 0n } = events.at(-1) ?? {};
      await handler.handle({ events, position, caughtUp: true });
      await handler.save();
      expect(await checkpoint()).toBe(position);
    });

    it('finds it again after a crash', async () => {
      const { handler, after, open, log, head, timers } = await openHandler();
      await after(take('a', 0));
      await handler.save();
      const next = await open();
      await next.handle({ events: log.events, position: await head(), caughtUp: true });
      await next.save();
      await next.save();
      expect(await timers('watch')).toHaveLength(1);
    });

    it('writes it at once when something was sent for it', async () => {
      const { handler, after, written } = await openHandler({ ...restockSaga, name: 'watch' });
      await after(take('a', 0));
      expect(written()).toHaveLength(2);
      await handler.save();
      expect(written()).toHaveLength(2);
    });
  });
});

describe('a timer', () => {
  it('that is cancelled while it is being saved is gone all the same', async () => {
    const { log, readStore, run, timers } = openWorld();
    const farewell: AnySaga = {
      ...watchSaga,
      react: (event: StockEvent, state: object) => {
        const bye = { kind: 'command', command: { type: 'Bye', data: event.data } } as const;
        const timing = watchSaga.react(event, state);
        return event.type === 'PiecesAdded' ? [bye, ...timing] : timing;
      },
    };
    const handler: SagaHandler = new SagaHandler(
      farewell,
      readStore,
      stockCodec(),
      createInProcessBus(),
      () => handler.save(),
    );
    await handler.checkpoint();
    await run(take('a', 0), add('a', 1));
    const [taken, added] = log.events;
    if (!taken || !added) throw new Error('nothing was written');
    // Caught up, so that nothing counts as a repeat.
    await handler.handle({ events: [], position: 0n, caughtUp: true });
    await handler.handle({ events: [taken], position: taken.position, caughtUp: true });
    // The next save will be its second.
    await handler.save();
    await handler.handle({ events: [added], position: added.position, caughtUp: true });
    expect(readStore.committed.flatMap(({ writes }) => writes)).toHaveLength(4);
    expect(await timers('watch')).toEqual([]);
  });

  it('fires when it is due by the clock that is given, once', async () => {
    const world = openWorld();
    const { caughtUp, at } = world.startSagas(watchSaga);
    await world.run(add('a', 9), take('a', 1));
    await caughtUp();
    await at('2026-01-01T00:09:59.999Z');
    expect(world.sentBy('Look')).toEqual([]);
    await at(LOOK_AT);
    await at('2026-01-01T00:11:00.000Z');
    expect(world.sentBy('Look')).toMatchObject([{ data: { warehouse: 'a' } }]);
    expect(await world.timers('watch')).toEqual([]);
  });

  it('does not fire when it was cancelled, whether it was saved before or not', async () => {
    const world = openWorld();
    const { caughtUp, at } = world.startSagas(watchSaga);
    await world.run(add('a', 9), add('b', 9), take('a', 1));
    await caughtUp();
    await at('2026-01-01T00:00:01.000Z');
    expect(await world.timers('watch')).toHaveLength(1);
    await world.run(take('b', 1), add('a', 1), add('b', 1));
    await caughtUp();
    await at('2026-01-01T01:00:00.000Z');
    expect(world.sentBy('Look')).toEqual([]);
    expect(await world.timers('watch')).toEqual([]);
  });

  it('survives the process, also one that ended before it was saved', async () => {
    const world = openWorld();
    const first = world.startSagas(watchSaga);
    await world.run(add('a', 9), take('a', 1));
    await first.caughtUp();
    world.readStore.commits.plan('fail-before', 'fail-before', 'fail-before');
    await first.sagas.stop();
    expect(await world.timers('watch')).toEqual([]);
    world.readStore.commits.plan(...Array.from({ length: 3 }, () => 'none' as const));
    const { caughtUp, at } = world.startSagas(watchSaga);
    await caughtUp();
    await at(LOOK_AT);
    await at(LOOK_AT);
    expect(world.sentBy('Look')).toHaveLength(1);
  });

  it('whose command is rejected holds up no other, is tried again with back-off, and shows', async () => {
    const world = openWorld();
    const { sagas, caughtUp, at } = world.startSagas(watchSaga);
    world.rejecting.set('a', new DomainError('not_due'));
    await world.run(add('a', 9), add('b', 9), take('a', 1), take('b', 1));
    await caughtUp();
    await at(LOOK_AT);
    await at(LOOK_AT);
    expect(world.sentBy('Look').map(({ data }) => data)).toEqual([
      { warehouse: 'a' },
      { warehouse: 'b' },
    ]);
    expect(sagas.status()).toMatchObject([
      { phase: 'live', failure: '1 due timers could not be fired: not_due' },
    ]);
    await at('2026-01-01T00:10:01.000Z');
    await at('2026-01-01T00:10:02.999Z');
    expect(world.sentBy('Look')).toHaveLength(3);
    world.rejecting.clear();
    await at('2026-01-01T00:10:03.000Z');
    expect(new Set(world.sentBy('Look').map(({ context }) => context.requestId)).size).toBe(2);
    expect(sagas.status()).toMatchObject([{ failure: null }]);
    expect(await world.timers('watch')).toEqual([]);
  });

  it('that was accepted but could not be taken down fires again under the same id', async () => {
    const world = openWorld();
    const { sagas, caughtUp, at } = world.startSagas(watchSaga);
    await world.run(add('a', 9), take('a', 1));
    await caughtUp();
    await at('2026-01-01T00:00:01.000Z');
    world.readStore.commits.plan('fail-before');
    await at(LOOK_AT);
    await at('2026-01-01T00:10:01.000Z');
    expect(world.sentBy('Look')).toHaveLength(2);
    expect(new Set(world.sentBy('Look').map(({ context }) => context.requestId)).size).toBe(1);
    expect(sagas.status()).toMatchObject([{ failure: null }]);
  });

  it('fires among hundreds that are due together', async () => {
    const world = openWorld();
    const { caughtUp, at } = world.startSagas(watchSaga);
    const names = Array.from({ length: 250 }, (_, index) => `s${index}`);
    for (const name of names.slice(0, 120)) world.rejecting.set(name, new Error('no'));
    for (const name of names) await world.run(add(name, 1), take(name, 1));
    await caughtUp();
    await at(LOOK_AT);
    expect(world.sentBy('Look')).toHaveLength(250);
    expect(await world.timers('watch')).toHaveLength(120);
  });

  it('at an instant in another notation fires in its order all the same', async () => {
    const world = openWorld();
    const odd: AnySaga = {
      ...watchSaga,
      react: () => [
        {
          kind: 'schedule',
          timer: 'look',
          dueAt: '2026-01-01T02:10:00+02:00',
          command: { type: 'Look', data: { warehouse: 'a' } },
        },
      ],
    };
    const { caughtUp, at } = world.startSagas(odd);
    await world.run(add('a', 9));
    await caughtUp();
    await at('2026-01-01T00:09:59.000Z');
    expect(world.sentBy('Look')).toEqual([]);
    await at(LOOK_AT);
    expect(world.sentBy('Look')).toHaveLength(1);
  });
});
