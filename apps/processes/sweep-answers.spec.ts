import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { AnswerStoreError } from '#areas/inference/idempotency/answer-store.errors.js';
import { sweepAnswers } from './sweep-answers.js';

describe('sweeping answers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('goes on every minute, also after the store was away, until it is stopped', async () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => void lines.push(line) });
    const away = new AnswerStoreError('store-unavailable', 'on 10.0.0.7');
    const sweep = jest.fn(() => Promise.resolve(0)).mockRejectedValueOnce(away);
    const timer = sweepAnswers({ sweep }, logger);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lines.join('')).toContain('could not be removed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sweep).toHaveBeenCalledTimes(2);
    clearInterval(timer);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(sweep).toHaveBeenCalledTimes(2);
    expect(lines).toHaveLength(1);
  });
});
