import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Position, type SubscriptionBatch } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import { type SubscriptionHandler } from './subscription-handler.js';
import { SubscriptionRunner } from './subscription-runner.js';
import {
  add,
  anyContext,
  movableClock,
  silent,
  stockCodec,
  stockDecider,
  stockEvents,
} from '../stock.fixture.js';

/** Records every position it handled, and fails on demand. */
class Recorder implements SubscriptionHandler {
  readonly name = 'recorder';
  readonly types = ['PiecesAdded'];
  readonly seen: Position[] = [];
  saved: Position | undefined;
  failures = 0;
  tries = 0;
  hold = (): Promise<void> => Promise.resolve();

  checkpoint(): Promise<Position | undefined> {
    return Promise.resolve(this.saved);
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    await this.hold();
    this.tries += 1;
    if (events.length > 0 && this.failures > 0) {
      this.failures -= 1;
      throw new Error('a poisoned event');
    }
    this.seen.push(...events.map((event) => event.position));
    this.saved = position;
  }
}

/** The recorder does not read it. */
const FOREIGN_EVENT = {
  type: 'UserAdded',
  data: {},
  metadata: { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'cli' },
};

const subscriptions: SubscriptionRunner[] = [];
afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(subscriptions.splice(0).map((subscription) => subscription.stop()));
});

const open = () => {
  const store = new FaultyEventStore();
  const handler = new Recorder();
  const subscription = new SubscriptionRunner(handler, store, movableClock(), silent);
  subscriptions.push(subscription);
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore: store,
    codec: stockCodec().for(stockEvents),
  });
  const append = async (count: number): Promise<Position> => {
    for (let at = 0; at < count; at += 1)
      await runner.run('warehouse-a', add('a', 1), anyContext());
    return store.head();
  };
  return { store, handler, subscription, append };
};

/** No timer fires any more unless a spec says so. */
const standTimeStill = () =>
  jest.useFakeTimers({ doNotFake: ['performance', 'queueMicrotask', 'nextTick', 'setImmediate'] });

/** Runs work that needs no timer, for at most `turnsMax` turns of the event loop. */
const turnsUntil = async (holds: () => boolean, turnsMax = 50) => {
  for (let turn = 0; turn < turnsMax && !holds(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const positionsOf = ({ log }: FaultyEventStore) => log.events.map(({ position }) => position);

describe('a subscription runner', () => {
  it('delivers stored and new events in order, and reports its position', async () => {
    const { store, handler, subscription, append } = open();
    await append(7);
    subscription.start();
    expect(await subscription.reach(await append(1), 1_000)).toBe(true);
    expect(await subscription.reach(await append(5), 1_000)).toBe(true);
    expect(handler.seen).toEqual(positionsOf(store));
    expect(subscription.status()).toMatchObject({ phase: 'live', position: await store.head() });
  });

  it('continues from its checkpoint', async () => {
    const { store, handler, subscription, append } = open();
    subscription.start();
    await subscription.reach(await append(4), 1_000);
    await subscription.stop();
    await append(4);
    const next = new SubscriptionRunner(handler, store, movableClock(), silent);
    subscriptions.push(next);
    next.start();
    expect(await next.reach(await store.head(), 1_000)).toBe(true);
    expect(handler.seen).toEqual(positionsOf(store));
  });

  it('gathers events that arrive close together, unless a caller waits', async () => {
    const { handler, subscription, append } = open();
    standTimeStill();
    subscription.start();
    await turnsUntil(() => subscription.status().phase === 'live');
    await append(1);
    await turnsUntil(() => handler.seen.length === 1);
    const head = await append(3);
    await turnsUntil(() => false);
    expect(handler.seen).toHaveLength(1);
    const tries = handler.tries;
    expect(await subscription.reach(head, 1_000)).toBe(true);
    expect(handler.tries - tries).toBeLessThanOrEqual(2);
  });

  it('gathers the longer, the longer the last write took', async () => {
    const { handler, subscription, append } = open();
    standTimeStill();
    handler.hold = () => {
      const writtenAt = performance.now() + 10;
      return turnsUntil(() => performance.now() >= writtenAt, Infinity);
    };
    subscription.start();
    await turnsUntil(() => subscription.status().phase === 'live', 10_000);
    await append(1);
    await turnsUntil(() => handler.seen.length === 1, 10_000);
    handler.hold = () => Promise.resolve();
    await append(3);
    jest.advanceTimersByTime(150);
    await turnsUntil(() => false);
    expect(handler.seen).toHaveLength(1);
    // The longest: the write may have taken more than 10 ms.
    jest.advanceTimersByTime(850);
    await turnsUntil(() => handler.seen.length === 4);
    expect(handler.seen).toHaveLength(4);
  });

  it('says no when the time is up', async () => {
    const { subscription, store } = open();
    subscription.start();
    expect(await subscription.reach((await store.head()) + 100n, 20)).toBe(false);
  });
});

describe('a subscription runner without events of its own', () => {
  it('is not woken, and answers a caller that waits at once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'runner-'));
    const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const handler = new Recorder();
    const subscription = new SubscriptionRunner(handler, store, movableClock(), silent);
    subscriptions.push(subscription);
    subscription.start();
    await eventually(() => subscription.status().phase === 'live');
    standTimeStill();
    const { tries } = handler;
    for (let count = 0; count < 50; count += 1) {
      await store.append('user-1', [{ ...FOREIGN_EVENT, id: randomUUID() }], 'any');
      await turnsUntil(() => false, 5);
    }
    expect(handler.tries).toBe(tries);
    const head = await store.head();
    expect(await subscription.reach(head, 1_000)).toBe(true);
    expect(subscription.position).toBe(head);
    expect(handler.tries).toBe(tries + 1);
    await subscription.stop();
    await store.close();
    await rm(folder, { recursive: true });
  });
});

describe('a subscription runner whose handler fails', () => {
  it('has the status stopped, keeps its checkpoint, retries later, and skips nothing', async () => {
    const { store, handler, subscription, append } = open();
    handler.failures = 1;
    await append(4);
    subscription.start();
    await eventually(() => subscription.status().phase === 'stopped');
    expect(subscription.status()).toEqual({
      name: 'recorder',
      phase: 'stopped',
      position: 0n,
      failure: 'a poisoned event',
      retryAt: '2026-01-01T00:00:01.000Z',
    });
    expect(await subscription.reach(await store.head(), 3_000)).toBe(true);
    expect(handler.seen).toEqual(positionsOf(store));
    expect(subscription.status()).toMatchObject({ failure: null, retryAt: null });
  });

  it('does not retry more often when callers wait for it', async () => {
    const { store, handler, subscription, append } = open();
    handler.failures = 1_000;
    await append(1);
    subscription.start();
    await eventually(() => subscription.status().phase === 'stopped');
    const head = await store.head();
    await Promise.all(Array.from({ length: 50 }, () => subscription.reach(head, 100)));
    expect(handler.tries).toBe(1);
  });

  it('waits twice as long after each failure, a minute at most', async () => {
    const { handler, subscription, append } = open();
    handler.failures = 1_000;
    await append(1);
    standTimeStill();
    subscription.start();
    const waits: string[] = [];
    for (let failure = 1; failure <= 8; failure += 1) {
      await turnsUntil(() => handler.tries === failure);
      await turnsUntil(() => subscription.status().phase === 'stopped');
      waits.push(subscription.status().retryAt ?? '');
      jest.advanceTimersByTime(60_000);
    }
    const seconds = waits.map(
      (at) => (Date.parse(at) - Date.parse('2026-01-01T00:00:00Z')) / 1_000,
    );
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('recovers when the log itself was away', async () => {
    const { store, handler, subscription, append } = open();
    await append(2);
    store.subscriptions.plan('fail-before');
    subscription.start();
    await eventually(() => subscription.status().phase === 'stopped');
    expect(subscription.status().failure).toBe('the log is away');
    expect(await subscription.reach(await store.head(), 3_000)).toBe(true);
    expect(handler.seen).toEqual(positionsOf(store));
  });
});

describe('the status of a live subscription runner', () => {
  it('states the offered position, and the instant of the first event that waits', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-offered-'));
    const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const handler = new Recorder();
    const subscription = new SubscriptionRunner(handler, store, movableClock(), silent);
    const append = (type: string) =>
      store.append('stock-a', [{ ...FOREIGN_EVENT, type, id: randomUUID() }], 'any');
    try {
      subscription.start();
      await eventually(() => subscription.status().phase === 'live');
      const { position: foreign } = await append('UserAdded');
      expect(subscription.status()).toMatchObject({
        position: 0n,
        offered: { position: foreign, since: null },
      });
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      handler.hold = () => held;
      const recordedAt = '2026-03-01T12:00:00.000Z';
      const own = { ...FOREIGN_EVENT, type: 'PiecesAdded', id: randomUUID(), recordedAt };
      const { position: last } = await store.append('stock-a', [own], 'any');
      await append('PiecesAdded');
      await eventually(() => subscription.status().offered?.since === recordedAt);
      release();
      expect(await subscription.reach(last + 1n, 1_000)).toBe(true);
      await eventually(() => subscription.status().offered?.since === null);
    } finally {
      await subscription.stop();
      await store.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('stopping a subscription runner', () => {
  it('while it pauses, gathers or has nothing to do needs no timer', async () => {
    standTimeStill();
    for (const failures of [0, 1_000]) {
      const { handler, subscription, append } = open();
      handler.failures = failures;
      await append(1);
      subscription.start();
      const phase = failures > 0 ? 'stopped' : 'live';
      await turnsUntil(() => subscription.status().phase === phase, 10_000);
      expect(subscription.status().phase).toBe(phase);
      await subscription.stop();
      expect(subscription.status().phase).toBe('closed');
    }
  });

  it('lets the batch in hand end first', async () => {
    const { handler, subscription, append } = open();
    const held = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    handler.hold = async () => {
      begun.resolve(undefined);
      await held.promise;
    };
    await append(1);
    subscription.start();
    await begun.promise;
    const stopped = subscription.stop();
    held.resolve(undefined);
    await stopped;
    expect(handler.seen).toHaveLength(1);
  });

  it('answers waiting callers at once, and later ones too', async () => {
    const { subscription } = open();
    subscription.start();
    const waiting = subscription.reach(1_000n, 60_000);
    await subscription.stop();
    expect(await waiting).toBe(false);
    expect(await subscription.reach(1_000n, 60_000)).toBe(false);
  });

  it('before it started leaves it stopped', async () => {
    const { handler, subscription, append } = open();
    await subscription.stop();
    subscription.start();
    await append(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(handler.tries).toBe(0);
  });
});
