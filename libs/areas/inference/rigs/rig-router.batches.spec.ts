import { describe, expect, it } from '@jest/globals';
import {
  ANSWER,
  errorOf,
  failing,
  held,
  routerOf,
  scripted,
  settle,
} from './rig-router.fixture.js';
import { type ChatAnswer } from './chat-backend.js';

const BATCH = { priority: 'batch' } as const;

describe('lines of batches at a rig', () => {
  const full = (slots: number, options: object = {}) => {
    const open = Array.from({ length: slots }, held);
    const a = scripted(...open.map(({ move }) => move), ANSWER);
    const setting = routerOf({ rigsOf: { a: a.backend }, maxConcurrency: slots, ...options });
    return { ...setting, a, open };
  };

  it('go behind interactive requests that came later', async () => {
    const { complete, router, open } = full(1);
    const running = complete();
    await settle();
    const ends: string[] = [];
    const ask = (name: string, order = {}) => complete(order).then(() => ends.push(name));
    const asked = [ask('line 1', BATCH), ask('line 2', BATCH), ask('chat 1'), ask('chat 2')];
    await settle();
    expect(router.waiting()).toBe(4);
    open[0]?.letGo();
    await Promise.all([running, ...asked]);
    expect(ends).toEqual(['chat 1', 'chat 2', 'line 1', 'line 2']);
    expect(router.waiting()).toBe(0);
  });

  it('leave slots to interactive requests', async () => {
    const { complete, router, open } = full(3, { batchConcurrencyMax: 2 });
    const lines = [complete(BATCH), complete(BATCH), complete(BATCH)];
    await settle();
    expect(router.status()[0]?.inFlight).toBe(2);
    const chat = complete();
    await settle();
    expect(router.status()[0]?.inFlight).toBe(3);
    expect(router.waiting()).toBe(1);
    for (const { letGo } of open) letGo();
    await Promise.all([...lines, chat]);
    expect(router.status()[0]?.inFlight).toBe(0);
  });

  it('wait as long as it takes, and keep no interactive request from the queue', async () => {
    const { complete, open, pauses } = full(1, { waitingMax: 1 });
    const running = complete();
    const lines = Array.from({ length: 5 }, () => complete(BATCH));
    const chat = complete();
    await settle();
    expect((await errorOf(complete())).kind).toBe('queue-full');
    open[0]?.letGo();
    await Promise.all([running, chat, ...lines]);
    expect(pauses).toEqual([]);
  });

  it('go behind a request that waits for a rig that is up again', async () => {
    const busy = held();
    const { complete, time, router } = routerOf({
      rigsOf: {
        a: scripted(failing('overloaded', { retryAfterMs: 500 }), ANSWER).backend,
        b: scripted(busy.move, ANSWER).backend,
      },
      maxConcurrency: 1,
      attemptsMax: 1,
    });
    await errorOf(complete({ pin: 'a' }));
    const running = complete({ pin: 'b' });
    const ends: string[] = [];
    const chat = complete().then(() => ends.push('chat'));
    await settle();
    expect(router.waiting()).toBe(1);
    time.nowMs += 500;
    const line = complete(BATCH).then(() => ends.push('line'));
    await Promise.all([chat, line]);
    expect(ends).toEqual(['chat', 'line']);
    busy.letGo();
    await running;
    expect(router.waiting()).toBe(0);
  });

  it('fail when every rig goes down, and leave the queue with their batch', async () => {
    const { promise, reject } = Promise.withResolvers<ChatAnswer>();
    const { complete, router } = routerOf({
      rigsOf: { a: scripted(() => promise).backend },
      maxConcurrency: 1,
      attemptsMax: 1,
      breaker: { failuresToOpen: 1, openMs: 1_000, openMsMax: 1_000 },
    });
    const running = errorOf(complete());
    const stop = new AbortController();
    const stopped = errorOf(complete(BATCH, stop.signal));
    const waiting = errorOf(complete(BATCH));
    await settle();
    stop.abort();
    expect((await stopped).kind).toBe('cancelled');
    expect(router.waiting()).toBe(1);
    reject(failing('failed'));
    expect((await running).kind).toBe('failed');
    expect((await waiting).kind).toBe('down');
  });
});
