import { describe, expect, it } from '@jest/globals';
import { type KeyAffinity, RigError } from './chat-backend.js';
import { type Credential } from './dialects/dialect.js';
import { RigKeys } from './rig-keys.js';

const failing = (status: number, retryAfterMs?: number): RigError =>
  new RigError(status === 429 ? 'overloaded' : 'failed', `status ${status}`, {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

/** Keys by their names, the failures that they meet, and a clock. */
const keysOf = (...names: readonly string[]) => {
  const faults = new Map<string, RigError>();
  const asked: string[] = [];
  const rejected: string[] = [];
  const time = { nowMs: 0 };
  const credentials = names.map((name): Credential => ({
    headersFor: () => ({ name }),
    rejected: () => rejected.push(name),
  }));
  const keys = new RigKeys('rack', credentials, { now: () => time.nowMs });
  const ask = (model = 'm', affinity?: KeyAffinity) =>
    keys.ask(model, affinity, async (credential) => {
      const { name = '' } = (await credential?.headersFor({} as never, {} as never)) ?? {};
      asked.push(name);
      const fault = faults.get(name);
      if (fault) throw fault;
      return name;
    });
  return { ask, asked, faults, rejected, time };
};

describe('the keys of a rig', () => {
  it('are used in their order: the first stays in use', async () => {
    const { ask } = keysOf('a', 'b');
    expect([await ask(), await ask(), await ask()]).toEqual(['a', 'a', 'a']);
  });

  it('begin with the key of a session, which learns the key that answered', async () => {
    const { ask, faults } = keysOf('a', 'b', 'c');
    const answered: number[] = [];
    const session = { preferred: 1, answered: (key: number) => answered.push(key) };
    expect(await ask('m', session)).toBe('b');
    faults.set('b', failing(429, 9_000));
    expect(await ask('m', session)).toBe('a');
    expect(answered).toEqual([1, 0]);
  });

  it.each([401, 402, 403])(
    'follow one that is rejected with %i, until its breaker lets a trial pass',
    async (status) => {
      const { ask, asked, faults, time } = keysOf('a', 'b');
      faults.set('a', failing(status));
      expect([await ask(), await ask()]).toEqual(['b', 'b']);
      expect(asked).toEqual(['a', 'b', 'b']);
      time.nowMs = 5_000;
      faults.clear();
      expect(await ask()).toBe('a');
    },
  );

  it('follow one that is used up, for this model and as long as the provider says', async () => {
    const { ask, faults, time } = keysOf('a', 'b');
    faults.set('a', failing(429, 9_000));
    expect(await ask('m')).toBe('b');
    faults.clear();
    expect([await ask('m'), await ask('other')]).toEqual(['b', 'a']);
    time.nowMs = 9_000;
    expect(await ask('m')).toBe('a');
  });

  it('that are all used up ask to wait for the first that returns', async () => {
    const { ask, faults, time } = keysOf('a', 'b');
    faults.set('a', failing(429, 9_000));
    faults.set('b', failing(429, 4_000));
    await expect(ask()).rejects.toMatchObject({
      kind: 'overloaded',
      details: { status: 429, retryAfterMs: 4_000 },
    });
    time.nowMs = 1_000;
    await expect(ask()).rejects.toMatchObject({ details: { retryAfterMs: 3_000 } });
  });

  it('that are all rejected say so, also while none may be asked', async () => {
    const { ask, asked, faults } = keysOf('a', 'b');
    for (const name of ['a', 'b']) faults.set(name, failing(401));
    const rejection = { kind: 'failed', details: { status: 401 } };
    await expect(ask()).rejects.toMatchObject(rejection);
    await expect(ask()).rejects.toMatchObject(rejection);
    expect(asked).toEqual(['a', 'b']);
  });

  it('have no part in a failure of the server', async () => {
    const { ask, asked, faults } = keysOf('a', 'b');
    faults.set('a', failing(500));
    await expect(ask()).rejects.toMatchObject({ details: { status: 500 } });
    faults.clear();
    expect(await ask()).toBe('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('are asked again once where there is one, and it can be had again', async () => {
    const { ask, asked, faults, rejected } = keysOf('a');
    faults.set('a', failing(401));
    await expect(ask()).rejects.toMatchObject({ details: { status: 401 } });
    expect(asked).toEqual(['a', 'a']);
    expect(rejected).toEqual(['a']);
  });
});
