import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FairQueue } from '#platform/kernel/fair-queue.js';
import { ANSWER, errorOf, held, routerOf, scripted, settle } from './rig-router.fixture.js';
import { type RigRouterOptions } from './rig-router.js';

describe('requests of several accounts', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const full = (options: Partial<RigRouterOptions> = {}) => {
    const first = held();
    const { backend } = scripted(first.move, ANSWER);
    const setting = routerOf({ rigsOf: { a: backend }, maxConcurrency: 1, ...options });
    return { ...setting, first, running: setting.complete({ account: 'loud' }) };
  };

  it('take turns for a slot, in whatever order they came', async () => {
    const { complete, first, running } = full();
    const ends: string[] = [];
    const ask = (account: string) => complete({ account }).then(() => ends.push(account));
    const asked = [...Array.from({ length: 4 }, () => 'loud'), 'ann', 'bob', 'ann'].map(ask);
    await settle();
    first.letGo();
    await Promise.all([running, ...asked]);
    expect(ends).toEqual(['loud', 'ann', 'bob', 'loud', 'ann', 'loud', 'loud']);
  });

  it('keep places for each other: an account fills its part of the queue only', async () => {
    const { complete, check, first, running } = full({ waitingMax: 3, waitingPerAccountMax: 2 });
    const asked = [complete({ account: 'loud' }), complete({ account: 'loud' })];
    await settle();
    const refused = { kind: 'queue-full', details: { retryAfterMs: 1_000 } };
    expect(await errorOf(complete({ account: 'loud' }))).toMatchObject(refused);
    expect(check({ account: 'loud' })).toMatchObject({
      ...refused,
      message: '2 requests of this account wait for a rig already',
    });
    expect(check({ account: 'ann' })).toBeNull();
    asked.push(complete({ account: 'ann' }));
    await settle();
    expect(check({ account: 'bob' })).toMatchObject({
      ...refused,
      message: '3 requests wait for a rig already',
    });
    first.letGo();
    await Promise.all([running, ...asked]);
  });

  it('give their place back when their caller leaves', async () => {
    const { complete, check, router, first, running } = full({ waitingPerAccountMax: 1 });
    const caller = new AbortController();
    const leaving = errorOf(complete({ account: 'ann' }, caller.signal));
    await settle();
    expect(check({ account: 'ann' })?.kind).toBe('queue-full');
    caller.abort();
    expect((await leaving).kind).toBe('cancelled');
    expect(check({ account: 'ann' })).toBeNull();
    expect(router.waiting()).toBe(0);
    first.letGo();
    await running;
  });

  it('go before the lines of batches, which take turns among themselves', async () => {
    const { complete, first, running } = full();
    const ends: string[] = [];
    const ask = (account: string, priority: 'batch' | 'interactive') =>
      complete({ account, priority }).then(() => ends.push(`${account} ${priority}`));
    const asked = [
      ask('loud', 'batch'),
      ask('loud', 'batch'),
      ask('ann', 'batch'),
      ask('bob', 'interactive'),
    ];
    await settle();
    first.letGo();
    await Promise.all([running, ...asked]);
    expect(ends).toEqual(['bob interactive', 'loud batch', 'ann batch', 'loud batch']);
  });

  it('cost no look at the queue while none of them waits', async () => {
    const { complete, router } = routerOf({ rigsOf: { a: scripted(ANSWER).backend } });
    const looks = (['add', 'serve', 'sizeOf', 'has', 'delete'] as const).map((method) =>
      jest.spyOn(FairQueue.prototype, method),
    );
    for (let asked = 0; asked < 50; asked += 1) {
      await Promise.all([complete({ account: 'ann' }), complete({ account: 'bob' })]);
    }
    expect(looks.map((look) => look.mock.calls.length)).toEqual([0, 0, 0, 0, 0]);
    expect(router.waiting()).toBe(0);
  });
});
