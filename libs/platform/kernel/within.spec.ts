import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TimedOutError, within } from './within.js';

const never = new Promise<string>(() => undefined);

describe('a promise within a time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('has its own outcome when it is in time', async () => {
    expect(await within(Promise.resolve('answer'), 100)).toBe('answer');
    await expect(within(Promise.reject(new Error('refused')), 100)).rejects.toThrow('refused');
  });

  it('is rejected when it is late', async () => {
    const outcome = expect(within(never, 100)).rejects.toThrow(new TimedOutError(100));
    await jest.advanceTimersByTimeAsync(100);
    await outcome;
  });

  it('has the outcome that its caller chose when it is late', async () => {
    const late = within(never, 100, () => null);
    const failed = within(never, 100, () => {
      throw new RangeError('too late');
    });
    const outcomes = Promise.allSettled([late, failed]);
    await jest.advanceTimersByTimeAsync(100);
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: null },
      { status: 'rejected', reason: new RangeError('too late') },
    ]);
  });

  it('ignores a failure that comes after the time', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const outcome = within(promise, 100, () => 'late');
    await jest.advanceTimersByTimeAsync(100);
    reject(new Error('too late'));
    expect(await outcome).toBe('late');
  });
});
