import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type SagaCommand } from '#platform/kernel/saga.js';
import { restockSaga, watchSaga } from '../restock.fixture.js';
import { SagaHandler } from './saga-handler.js';
import { openSagaWorld, type SagaWorld } from './sagas.fixture.js';
import { add, stockCodec, take } from '../stock.fixture.js';

const worlds: SagaWorld[] = [];
const openWorld = (): SagaWorld => {
  const world = openSagaWorld();
  worlds.push(world);
  return world;
};
afterEach(() => Promise.all(worlds.splice(0).map((world) => world.stop())));

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

  it('that could not save its work repeats it under the same ids', async () => {
    const world = openWorld();
    await world.run(add('a', 9), take('a', 1, 'one'));
    world.readStore.commits.plan('fail-before', 'fail-before', 'fail-before');
    const { caughtUp } = world.startSagas(restockSaga);
    await caughtUp();
    expect(world.sent.length).toBeGreaterThan(1);
    expect(new Set(world.sent.map(({ context }) => context.requestId)).size).toBe(1);
    expect(new Set(world.published.map(({ id }) => id)).size).toBe(1);
  });

  it('whose command is rejected stops there, and does not repeat earlier commands', async () => {
    const world = openWorld();
    world.rejecting.set('b', new DomainError('warehouse_closed'));
    // Few enough for one batch.
    await world.run(take('a', 0, 'one'), take('b', 0, 'two'));
    const { sagas, caughtUp } = world.startSagas(restockSaga);
    await eventually(() => sagas.status()[0]?.phase === 'stopped');
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
    const { sagas, caughtUp, at } = world.startSagas(watchSaga);
    const { caughtUp: other } = world.startSagas(restockSaga);
    // Before sagas are live, they may read events that were handled before.
    await eventually(() => sagas.status().every(({ phase }) => phase === 'live'));
    await world.run(add('a', 9), take('a', 1), add('a', 1));
    await caughtUp();
    await other();
    await at('2026-01-01T00:00:00.000Z');
    const written = world.readStore.committed.flatMap(({ writes }) => writes);
    expect(written.filter(({ collection }) => collection === 'saga.watch.timers')).toEqual([]);
  });
});
