import { describe, expect, it } from '@jest/globals';
import { AccountTurns, unlessAborted } from './account-turns.js';

const LIMITS = { total: 4, perAccount: 1, reserve: 1, waitingMax: 2 };
const busy = (options?: ErrorOptions): Error => new Error('busy', options);
const turn = () => new Promise(setImmediate);

/** Work that ends when the test ends it. */
const openWork = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve('done') };
};

describe('the turns of accounts', () => {
  it('run the work of an account one after another, and of others beside it', async () => {
    const turns = new AccountTurns(LIMITS, busy);
    const first = openWork();
    const begun: string[] = [];
    const running = turns.run('one', first.work);
    const next = turns.run('one', () => Promise.resolve(begun.push('one')));
    await turns.run('other', () => Promise.resolve(begun.push('other')));
    await turn();
    expect(begun).toEqual(['other']);
    first.end();
    expect(await running).toBe('done');
    await next;
    expect(begun).toEqual(['other', 'one']);
  });

  it('pass on when the work fails', async () => {
    const turns = new AccountTurns(LIMITS, busy);
    const failing = turns.run('one', () => Promise.reject(new Error('no work')));
    await expect(failing).rejects.toThrow('no work');
    expect(await turns.run('one', () => Promise.resolve('next'))).toBe('next');
  });

  it('reject a request when as many wait as may', async () => {
    const turns = new AccountTurns(LIMITS, busy);
    const { work } = openWork();
    for (let n = 0; n < 1 + LIMITS.waitingMax; n += 1) void turns.run('one', work);
    await turn();
    await expect(turns.run('one', work)).rejects.toThrow('busy');
    expect(() => turns.demand('one')).toThrow('busy');
    turns.demand('other');
  });

  it('reject a request that has waited for too long', async () => {
    const turns = new AccountTurns({ ...LIMITS, waitMsMax: 20 }, busy);
    const { work } = openWork();
    void turns.run('one', work);
    await expect(turns.run('one', work)).rejects.toMatchObject({
      message: 'busy',
      cause: { name: 'TimeoutError' },
    });
  });

  it('end a request that waits by the reason of its signal', async () => {
    const turns = new AccountTurns(LIMITS, busy);
    const { work } = openWork();
    void turns.run('one', work);
    const leaving = new AbortController();
    const waiting = turns.run('one', work, leaving.signal);
    const without = turns.run('one', work, leaving.signal).catch(unlessAborted(leaving.signal));
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(await without).toBeUndefined();
  });

  it('keep an error that is not the end of the signal', async () => {
    const { signal } = new AbortController();
    const failing = Promise.reject<string>(new Error('no work'));
    await expect(failing.catch(unlessAborted(signal))).rejects.toThrow('no work');
  });
});
