import { beforeEach, describe, expect, it } from '@jest/globals';
import { FAILURES_MAX, LocalSignIns, WAITING_MAX } from './sign-in-gate.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { throttleAddress } from './throttle-address.js';

const WRONG = new Error('wrong');
const MALFORMED = new Error('malformed');
const HERE = '192.0.2.1';

let clock: { atMs: number; now: () => number };
let throttle: SignInThrottle;

beforeEach(() => {
  clock = {
    atMs: 1_000_000,
    now() {
      return this.atMs;
    },
  };
  throttle = new SignInThrottle(clock);
});

const isWrong = (error: unknown): boolean => error === WRONG;
const fail = (address = HERE, error = WRONG) =>
  throttle.attempt(address, () => Promise.reject(error), isWrong);
const succeed = (address = HERE) => throttle.attempt(address, () => 'in', isWrong);
const failTimes = async (times: number) => {
  for (let failed = 0; failed < times; failed += 1) await expect(fail()).rejects.toBe(WRONG);
};
const rejected = { failure: { status: 429, code: 'too_many_attempts', retryAfterSeconds: 300 } };

describe('SignInThrottle', () => {
  it('rejects an address after five failures, even with the correct password', async () => {
    await failTimes(4);
    expect(await succeed()).toBe('in');
    await failTimes(1);
    await expect(succeed()).rejects.toMatchObject(rejected);
    await expect(fail()).rejects.toMatchObject(rejected);
    expect(await succeed('192.0.2.2')).toBe('in');
  });

  it('admits the address again 300 s after its failures', async () => {
    await failTimes(5);
    clock.atMs += 299_999;
    await expect(succeed()).rejects.toMatchObject(rejected);
    clock.atMs += 1;
    expect(await succeed()).toBe('in');
    await failTimes(5);
    await expect(succeed()).rejects.toMatchObject(rejected);
  });

  it('counts within a sliding window', async () => {
    await failTimes(3);
    clock.atMs += 200_000;
    await failTimes(2);
    clock.atMs += 100_000;
    await failTimes(3);
    await expect(succeed()).rejects.toMatchObject(rejected);
  });

  it('does not count malformed requests', async () => {
    for (let times = 0; times < 10; times += 1) {
      await expect(fail(HERE, MALFORMED)).rejects.toBe(MALFORMED);
    }
    expect(await succeed()).toBe('in');
  });

  it('gives a burst no more attempts than a sequence', async () => {
    let tried = 0;
    const guess = () =>
      throttle.attempt(
        HERE,
        async () => {
          tried += 1;
          await new Promise((resolve) => setImmediate(resolve));
          throw WRONG;
        },
        isWrong,
      );
    const burst = await Promise.allSettled(Array.from({ length: 30 }, guess));
    expect(tried).toBe(5);
    const wrong = burst.filter((one) => one.status === 'rejected' && one.reason === WRONG);
    expect(wrong).toHaveLength(5);
  });

  it('admits a large burst of valid attempts, a few at a time', async () => {
    const burst = Array.from({ length: 30 }, () => succeed());
    expect(await Promise.all(burst)).toHaveLength(30);
  });

  it('answers 503 when its queue is full, and counts no failure', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const enter = () => throttle.attempt(HERE, () => gate, isWrong);
    const taken = Array.from({ length: FAILURES_MAX + WAITING_MAX }, enter);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(enter()).rejects.toMatchObject({
      failure: { status: 503, code: 'authentication_busy', retryAfterSeconds: 1 },
    });
    open();
    await Promise.all(taken);
    expect(await succeed()).toBe('in');
  });
});

describe('SignInThrottle that shares its count', () => {
  it('counts the failures of all gateways together', async () => {
    const gate = new LocalSignIns(clock);
    const other = new SignInThrottle(clock);
    for (const one of [throttle, other]) one.share(gate);
    await failTimes(3);
    const failThere = () => other.attempt(HERE, () => Promise.reject(WRONG), isWrong);
    await expect(failThere()).rejects.toBe(WRONG);
    await failTimes(1);
    await expect(failThere()).rejects.toMatchObject(rejected);
  });
});

describe('throttleAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('counts %s as %s', (address, counted) => {
    expect(throttleAddress(address)).toBe(counted);
  });
});
