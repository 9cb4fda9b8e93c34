import { afterEach, describe, expect, it } from '@jest/globals';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { LOOK_AT, watchSaga } from '../restock.fixture.js';
import { SagaHandler } from './saga-handler.js';
import { openSagaWorld, type SagaWorld } from './sagas.fixture.js';
import { add, stockCodec, type StockEvent, take } from '../stock.fixture.js';

const worlds: SagaWorld[] = [];
const openWorld = (): SagaWorld => {
  const world = openSagaWorld();
  worlds.push(world);
  return world;
};
afterEach(() => Promise.all(worlds.splice(0).map((world) => world.stop())));

describe('a timer', () => {
  it('that is cancelled during its save is deleted', async () => {
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

  it('whose command is rejected delays no other, is retried and is reported', async () => {
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

  it('at an instant in another notation fires in order', async () => {
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
