import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { AnswerStoreError } from './answer-store.errors.js';
import { type AnswerStore } from './answer-store.port.js';
import { AnswerSweeper } from './answer-sweeper.js';

describe('the sweep of expired answers', () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });

  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
  });
  afterEach(() => void jest.useRealTimers());

  const sweeperOf = (sweep: () => Promise<number>, role: ProcessRole['name']): AnswerSweeper =>
    new AnswerSweeper({ sweep } as unknown as AnswerStore, new ProcessRole(role), logger);

  it('repeats every minute, also after the store was away, until the shutdown', async () => {
    const away = new AnswerStoreError('store-unavailable', 'on 10.0.0.7');
    const sweep = jest.fn(() => Promise.resolve(0)).mockRejectedValueOnce(away);
    const sweeper = sweeperOf(sweep, 'gateway');
    sweeper.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lines.join('')).toContain('could not be removed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sweep).toHaveBeenCalledTimes(2);
    sweeper.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(sweep).toHaveBeenCalledTimes(2);
    expect(lines).toHaveLength(1);
  });

  it('does not run where no callers are served', async () => {
    const sweep = jest.fn(() => Promise.resolve(0));
    sweeperOf(sweep, 'cli').onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(sweep).not.toHaveBeenCalled();
  });
});
