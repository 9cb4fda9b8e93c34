import { describe, expect, it } from '@jest/globals';
import { type AnswerStore } from '../answer-store.port.js';
import { LazyAnswerStore } from './lazy-answer-store.js';

const NOWHERE = '/nonexistent/answers.db';
const REQUEST = { scope: 'account:1', key: 'k', body: new Uint8Array(), attempt: 'first' };
const free = () => Promise.resolve('free' as const);

const storeOf = (calls: string[]): AnswerStore => ({
  admit: () => {
    calls.push('admit');
    return Promise.resolve({ outcome: 'running' });
  },
  sweep: () => Promise.resolve(7),
  close: () => {
    calls.push('close');
    return Promise.resolve();
  },
});

describe('the answer store, opened when first needed', () => {
  it('is not opened by a sweep where there is no file, nor by closing', async () => {
    const calls: string[] = [];
    const answers = new LazyAnswerStore(NOWHERE, () => {
      calls.push('open');
      return Promise.resolve(storeOf(calls));
    });
    expect(await answers.sweep()).toBe(0);
    await answers.close();
    expect(calls).toEqual([]);
  });

  it('is opened once for requests at the same time, and closed', async () => {
    const calls: string[] = [];
    const answers = new LazyAnswerStore(NOWHERE, () => {
      calls.push('open');
      return Promise.resolve(storeOf(calls));
    });
    await Promise.all([answers.admit(REQUEST, free), answers.admit(REQUEST, free)]);
    expect(await answers.sweep()).toBe(7);
    await answers.close();
    expect(calls).toEqual(['open', 'admit', 'admit', 'close']);
  });

  it('is swept where an earlier run left a file', async () => {
    const answers = new LazyAnswerStore(import.meta.filename, () => Promise.resolve(storeOf([])));
    expect(await answers.sweep()).toBe(7);
  });

  it('tells a request why it could not be opened, and tries again for the next', async () => {
    let attempts = 0;
    const answers = new LazyAnswerStore(NOWHERE, () => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('full')) : Promise.resolve(storeOf([]));
    });
    await expect(answers.admit(REQUEST, free)).rejects.toThrow('full');
    await expect(answers.admit(REQUEST, free)).resolves.toEqual({ outcome: 'running' });
  });
});
