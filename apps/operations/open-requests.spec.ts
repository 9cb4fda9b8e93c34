import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { OpenRequests } from './open-requests.js';

const MS_MAX = 600_000;

/** Whether a promise has settled, once everything that could settle it has run. */
const isOver = async (promise: Promise<unknown>): Promise<boolean> => {
  await jest.advanceTimersByTimeAsync(0);
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

describe('open requests', () => {
  let requests: OpenRequests;

  beforeEach(() => {
    jest.useFakeTimers();
    requests = new OpenRequests(new Registry());
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('are counted until they are closed, once', () => {
    const [one, two] = [requests.open(MS_MAX), requests.open(MS_MAX)];
    expect(requests.count).toBe(2);
    one.close();
    one.close();
    expect(requests.count).toBe(1);
    two.close();
    expect(requests.count).toBe(0);
  });

  it('are cut with a time-out when they run too long', () => {
    const { signal } = requests.open(MS_MAX);
    jest.advanceTimersByTime(599_999);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ name: 'RequestCutError', reason: 'timed_out' });
  });

  it('keep the first reason of a cut', () => {
    const request = requests.open(MS_MAX);
    request.cut('client_gone');
    jest.advanceTimersByTime(600_000);
    expect(request.signal.reason).toMatchObject({ reason: 'client_gone' });
  });

  it('leave no timer behind', () => {
    requests.open(MS_MAX).close();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a request whose caller waits', () => {
  const requests = new OpenRequests(new Registry());
  const connection = (state = {}) =>
    Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false, ...state });

  it('is worked on, and not cut once it is closed', async () => {
    const response = connection();
    const work = ({ signal }: { signal: AbortSignal }) => Promise.resolve(signal);
    const signal = await requests.whileConnected(response, MS_MAX, work);
    const failed = requests.whileConnected(response, MS_MAX, () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    response.emit('close');
    expect(signal.aborted).toBe(false);
    expect(requests.count).toBe(0);
  });

  it('does not begin when its caller has left', async () => {
    const work = jest.fn(() => Promise.resolve());
    const begun = requests.whileConnected(connection({ destroyed: true }), MS_MAX, work);
    await expect(begun).rejects.toMatchObject({ reason: 'client_gone' });
    expect(work).not.toHaveBeenCalled();
    expect(requests.count).toBe(0);
  });

  it('is cut when its caller leaves before the response is finished', async () => {
    const reasonAfterClose = (response: ReturnType<typeof connection>, outlives = false) =>
      requests.whileConnected(response, MS_MAX, (request) => {
        if (outlives) request.outlive();
        response.emit('close');
        return Promise.resolve((request.signal.reason as { reason: string } | undefined)?.reason);
      });
    expect(await reasonAfterClose(connection())).toBe('client_gone');
    expect(await reasonAfterClose(connection({ writableFinished: true }))).toBeUndefined();
    expect(await reasonAfterClose(connection(), true)).toBeUndefined();
  });
});

describe('a drain', () => {
  let requests: OpenRequests;

  beforeEach(() => {
    jest.useFakeTimers();
    requests = new OpenRequests(new Registry());
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends at once without open requests', async () => {
    await requests.drain(30_000);
    expect(requests.draining).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects new requests', () => {
    void requests.drain(30_000);
    expect(() => requests.open(MS_MAX)).toThrow(
      expect.objectContaining({ name: 'RequestCutError', reason: 'shut_down' }),
    );
  });

  it('waits for open requests', async () => {
    const request = requests.open(MS_MAX);
    const drained = requests.drain(30_000);
    jest.advanceTimersByTime(29_999);
    expect(await isOver(drained)).toBe(false);
    request.close();
    await drained;
    expect(request.signal.aborted).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits for the last of several open requests', async () => {
    const [one, two] = [requests.open(MS_MAX), requests.open(MS_MAX)];
    const drained = requests.drain(30_000);
    one.close();
    expect(await isOver(drained)).toBe(false);
    two.close();
    await drained;
  });

  it('cuts the remaining requests at the deadline, and waits until they are settled', async () => {
    const request = requests.open(MS_MAX);
    const drained = requests.drain(30_000);
    jest.advanceTimersByTime(30_000);
    expect(request.signal.reason).toMatchObject({ reason: 'shut_down' });
    expect(await isOver(drained)).toBe(false);
    request.close();
    await drained;
  });

  it('is idempotent', async () => {
    const request = requests.open(MS_MAX);
    const both = Promise.all([requests.drain(30_000), requests.drain(30_000)]);
    request.close();
    await both;
  });
});
