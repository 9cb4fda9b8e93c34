import { describe, expect, it } from '@jest/globals';
import { UserId } from '#events/vocabulary.js';
import { type Caller } from './caller.js';
import { KnownCallers } from './known-callers.js';

const NEVER = Number.POSITIVE_INFINITY;
const KEY = 'sk-svc-one';

const caller: Caller = {
  userId: UserId.parse(1),
  accountId: '1',
  role: 'Partner',
  credential: { kind: 'api_key', id: 'one', policy: { scopes: ['inference'] } },
};

describe('known callers', () => {
  it('are found by their key until it expires', () => {
    const known = new KnownCallers();
    known.keep(KEY, caller, 2_000, 1_000);
    expect(known.find(KEY, 1_999)).toBe(caller);
    expect(known.find(KEY, 2_000)).toBeUndefined();
    expect(known.find('sk-svc-on', 1_999)).toBeUndefined();
  });

  it('are forgotten together', () => {
    const known = new KnownCallers();
    known.keep(KEY, caller, NEVER, 0);
    known.forgetAll();
    expect(known.find(KEY, 0)).toBeUndefined();
  });

  it('are forgotten a minute after the first of them, however often they are used', () => {
    const known = new KnownCallers();
    known.keep(KEY, caller, NEVER, 0);
    known.keep('sk-svc-other', caller, NEVER, 50_000);
    expect(known.find(KEY, 59_999)).toBe(caller);
    expect(known.find(KEY, 60_000)).toBeUndefined();
    expect(known.find('sk-svc-other', 60_000)).toBeUndefined();
    known.keep(KEY, caller, NEVER, 60_000);
    expect(known.find(KEY, 119_999)).toBe(caller);
  });

  it('are 10,000 at most', () => {
    const known = new KnownCallers();
    for (let key = 0; key <= 10_000; key += 1) known.keep(`sk-svc-${key}`, caller, NEVER, 0);
    expect(known.find('sk-svc-9999', 0)).toBeUndefined();
    expect(known.find('sk-svc-10000', 0)).toBe(caller);
  });
});
