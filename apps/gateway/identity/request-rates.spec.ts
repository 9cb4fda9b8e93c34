import { describe, expect, it } from '@jest/globals';
import { RequestRates } from './request-rates.js';

const open = (perAccount: number, perKey: number) => {
  const clock = { atMs: 1_000_000, now: () => clock.atMs };
  const rates = new RequestRates({ perAccount, perKey }, clock);
  const take = (accountId = '7', key = 'k-1'): void => {
    rates.take({ accountId, credential: { id: key } });
  };
  const times = (count: number, ...caller: Parameters<typeof take>): void => {
    for (let taken = 0; taken < count; taken += 1) take(...caller);
  };
  return { rates, clock, take, times };
};

const rejected = (source: 'account' | 'key', perMinute: number, retryAfterSeconds: number) =>
  expect.objectContaining({
    failure: {
      status: 429,
      code: 'rate_limit_exceeded',
      message: `this ${source} may send ${perMinute} requests a minute; try again later`,
      retryAfterSeconds,
      metadata: { limit_source: source, requests_per_minute: perMinute },
    },
  });

const failureOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
};

describe('the rate of requests', () => {
  it('lets a key send the requests of a minute at once, and says when the next may come', () => {
    const { take, times } = open(0, 60);
    times(60);
    expect(failureOf(take)).toEqual(rejected('key', 60, 1));
  });

  it('gives requests back evenly', () => {
    const { clock, take, times } = open(0, 30);
    times(30);
    clock.atMs += 1_999;
    expect(failureOf(take)).toEqual(rejected('key', 30, 1));
    clock.atMs += 1;
    take();
    expect(failureOf(take)).toEqual(rejected('key', 30, 2));
    clock.atMs += 60_000;
    times(30);
    expect(failureOf(take)).toEqual(rejected('key', 30, 2));
  });

  it('counts each key by itself, and all keys of an account together', () => {
    const { take, times } = open(100, 60);
    times(60, '7', 'k-1');
    times(40, '7', 'k-2');
    expect(failureOf(() => take('7', 'k-2'))).toEqual(rejected('account', 100, 1));
    times(60, '8', 'k-3');
  });

  it('does not count a rejected request', () => {
    const { clock, take, times } = open(100, 1);
    take('7', 'k-1');
    for (let tried = 0; tried < 500; tried += 1) failureOf(() => take('7', 'k-1'));
    for (let key = 2; key <= 100; key += 1) take('7', `k-${key}`);
    expect(failureOf(() => take('7', 'k-101'))).toEqual(rejected('account', 100, 1));
    clock.atMs += 60_000;
    times(1, '7', 'k-1');
  });

  it('has no limit at 0', () => {
    const { times } = open(0, 0);
    times(10_000);
  });

  it('is not confused by a clock that steps back', () => {
    const { clock, take, times } = open(0, 60);
    times(60);
    clock.atMs -= 3_600_000;
    expect(failureOf(take)).toEqual(rejected('key', 60, 1));
    clock.atMs += 1_000;
    take();
    expect(failureOf(take)).toEqual(rejected('key', 60, 1));
  });

  it('adds what other gateways have counted, and reports what it has counted itself', () => {
    const { rates, take, times } = open(100, 60);
    const counted: string[] = [];
    rates.share((account, key) => counted.push(`${account} ${key}`));
    rates.countElsewhere(new Map([['7', 50]]), new Map([['k-1', 50]]));
    times(10);
    expect(failureOf(take)).toEqual(rejected('key', 60, 1));
    times(40, '7', 'k-2');
    expect(failureOf(() => take('7', 'k-2'))).toEqual(rejected('account', 100, 1));
    expect(counted).toHaveLength(50);
    expect(counted[0]).toBe('7 k-1');
  });
});
