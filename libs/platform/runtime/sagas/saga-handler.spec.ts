import { describe, expect, it } from '@jest/globals';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import { restockSaga, watchSaga } from '../restock.fixture.js';
import { SagaHandler } from './saga-handler.js';
import { openSagaWorld } from './sagas.fixture.js';
import { add, stockCodec, type StockCommand, type StockEvent, take } from '../stock.fixture.js';

describe('a saga handler whose process has just begun', () => {
  const openHandler = async (saga: AnySaga = watchSaga) => {
    const world = openSagaWorld();
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
    /** Hands on the work done since. */
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
