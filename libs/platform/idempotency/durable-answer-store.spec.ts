import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeAnswerEntries } from './answer-entries.fake.js';
import { answerStoreContract } from './answer-store.contract.js';
import { ANSWER_TIMES, type StartedRequest } from './answer-store.port.js';
import { DurableAnswerStore } from './durable-answer-store.js';

const encryptionKey = new Uint8Array(32).fill(3);

answerStoreContract('the fake in memory', () => {
  const entries = new FakeAnswerEntries();
  return Promise.resolve({
    open: (clock, times, log) =>
      Promise.resolve(new DurableAnswerStore({ entries, encryptionKey, clock, times, log })),
    remove: () => Promise.resolve(),
  });
});

const answer = { status: 200, headers: {}, body: Buffer.from('whole') };
const request = { scope: 'account:7', key: 'k', body: Buffer.from('{}') };
const free = () => Promise.resolve('free' as const);
const charged = () => Promise.resolve('charged' as const);
const notLeft = () => Promise.reject(new Error('it was not left'));

const { leaseMs, retryMs, retryMsMax } = ANSWER_TIMES;

describe('an answer store whose entries are away', () => {
  let entries: FakeAnswerEntries;
  let store: DurableAnswerStore;
  let elsewhere: DurableAnswerStore;

  beforeEach(() => {
    jest.useFakeTimers();
    entries = new FakeAnswerEntries();
    const options = { entries, encryptionKey, clock: { now: () => Date.now() } };
    store = new DurableAnswerStore({ ...options, times: ANSWER_TIMES });
    elsewhere = new DurableAnswerStore({ ...options, times: ANSWER_TIMES });
  });

  afterEach(async () => {
    await store.close();
    await elsewhere.close();
    jest.useRealTimers();
  });

  const start = async (attempt = 'first'): Promise<StartedRequest> => {
    const admission = await store.admit({ ...request, attempt }, notLeft);
    if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
    return admission;
  };

  /** Another attempt of the process, which keeps its heartbeat going. */
  const startOther = () => store.admit({ ...request, key: 'other', attempt: 'second' }, notLeft);

  const retry = async (settle: typeof free | typeof charged | typeof notLeft) =>
    (await elsewhere.admit({ ...request, attempt: 'retry' }, settle)).outcome;

  it('keeps the answer when they are back', async () => {
    const { finish } = await start();
    entries.away = true;
    expect(await finish(answer)).toBe('later');
    await jest.advanceTimersByTimeAsync(10 * retryMs);
    entries.away = false;
    await jest.advanceTimersByTimeAsync(retryMs);
    expect(await retry(notLeft)).toBe('replay');
  });

  it.each(['abandon', 'leave'] as const)('says when they are back: %s', async (end) => {
    const started = await start();
    entries.away = true;
    await started[end]();
    entries.away = false;
    await jest.advanceTimersByTimeAsync(retryMs);
    expect(await retry(free)).toBe('started');
  });

  it('lets an attempt lapse whose end cannot be written', async () => {
    const { finish } = await start();
    await startOther();
    entries.away = ['keep'];
    expect(await finish(answer)).toBe('later');
    await jest.advanceTimersByTimeAsync(leaseMs - 1);
    expect(await retry(notLeft)).toBe('running');
    await jest.advanceTimersByTimeAsync(1);
    expect(await retry(charged)).toBe('charged');
  });

  it('keeps the answer even after a retry was rejected', async () => {
    const { finish } = await start();
    entries.away = ['keep'];
    await finish(answer);
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(await retry(charged)).toBe('charged');
    entries.away = false;
    await jest.advanceTimersByTimeAsync(retryMs);
    expect(await retry(notLeft)).toBe('replay');
  });

  it('does not overwrite the attempt that took over', async () => {
    const { finish } = await start();
    entries.away = ['keep'];
    await finish(answer);
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(await retry(free)).toBe('started');
    entries.away = false;
    await jest.advanceTimersByTimeAsync(retryMs);
    expect(await retry(notLeft)).toBe('running');
  });

  it('gives up in the end', async () => {
    const { finish } = await start();
    entries.away = true;
    await finish(answer);
    await jest.advanceTimersByTimeAsync(retryMsMax + retryMs);
    entries.calls.length = 0;
    await jest.advanceTimersByTimeAsync(retryMsMax);
    expect(entries.calls).toEqual([]);
  });

  it('limits the answers that it holds for them', async () => {
    const large = { ...answer, body: new Uint8Array(8 * 1_024 * 1_024) };
    const attempts = await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        store.admit({ ...request, key: `k${n}`, attempt: `a${n}` }, notLeft),
      ),
    );
    entries.away = true;
    for (const attempt of attempts) {
      if (attempt.outcome === 'started') expect(await attempt.finish(large)).toBe('later');
    }
    entries.calls.length = 0;
    await jest.advanceTimersByTimeAsync(retryMs);
    // Each answer is a little more than 8 MiB when it is sealed, and 64 MiB may wait.
    expect(entries.calls.filter((call) => call === 'keep')).toHaveLength(7);
  });

  it('renews what they missed when they are back, unless a retry came first', async () => {
    const { confirm } = await start();
    entries.away = ['renew'];
    await jest.advanceTimersByTimeAsync(2 * leaseMs);
    entries.away = false;
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(await retry(notLeft)).toBe('running');
    expect(await confirm()).toBe(true);
  });

  it('frees a start that may have been written although it failed', async () => {
    entries.away = ['start'];
    await expect(start()).rejects.toMatchObject({ code: 'store-unavailable' });
    await jest.advanceTimersByTimeAsync(retryMs);
    expect(entries.calls).toEqual(['start', 'renew']);
  });

  it('closes nevertheless', async () => {
    const { finish } = await start();
    entries.away = true;
    await finish(answer);
    await expect(store.close()).resolves.toBeUndefined();
    entries.away = false;
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(await retry(charged)).toBe('charged');
  });
});
