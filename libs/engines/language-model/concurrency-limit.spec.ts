import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { EngineBusyError } from './language-model.engine.errors.js';

const never = new AbortController().signal;

describe('a limit of concurrent requests', () => {
  const full = async (waitingMax = 3) => {
    const limit = new ConcurrencyLimit(1, waitingMax);
    await limit.enter(never);
    const entered: string[] = [];
    const enter = (name: string, priority?: 'batch') =>
      limit.enter(never, priority).then(() => entered.push(name));
    return { limit, entered, enter };
  };

  it('lets interactive requests go before the requests of batches, each in order', async () => {
    const { limit, entered, enter } = await full(4);
    const all = [
      enter('line 1', 'batch'),
      enter('chat 1'),
      enter('line 2', 'batch'),
      enter('chat 2'),
    ];
    for (let left = 0; left < 4; left += 1) {
      limit.leave();
      await Promise.resolve();
    }
    await Promise.all(all);
    expect(entered).toEqual(['chat 1', 'chat 2', 'line 1', 'line 2']);
    limit.leave();
    expect(await limit.enter(never)).toBe(true);
  });

  it('turns the newest of a batch away when an interactive request needs the room', async () => {
    const { limit, entered, enter } = await full(2);
    const first = enter('line 1', 'batch');
    const second = enter('line 2', 'batch');
    await expect(enter('line 3', 'batch')).rejects.toThrow(EngineBusyError);
    const chat = enter('chat');
    await expect(second).rejects.toThrow(EngineBusyError);
    limit.leave();
    limit.leave();
    await Promise.all([first, chat]);
    expect(entered).toEqual(['chat', 'line 1']);
  });

  it('is busy for an interactive request when only interactive ones wait', async () => {
    const { limit, enter } = await full(1);
    const chat = enter('chat');
    await expect(enter('another')).rejects.toThrow(EngineBusyError);
    limit.leave();
    await chat;
  });

  it('forgets a request that gives up', async () => {
    const { limit, enter } = await full(1);
    const caller = new AbortController();
    const waiting = limit.enter(caller.signal);
    caller.abort();
    expect(await waiting).toBe(false);
    const chat = enter('chat');
    limit.leave();
    await chat;
    expect(await limit.enter(AbortSignal.abort())).toBe(false);
  });
});
