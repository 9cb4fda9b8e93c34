import { describe, expect, it } from '@jest/globals';
import { FairTurns, type FairTurnsLimits, NoTurnError } from './fair-turns.js';

const never = new AbortController().signal;

const turnsWith = (limits: Partial<FairTurnsLimits> = {}) =>
  new FairTurns({
    runningMax: 3,
    runningPerAccountMax: 2,
    waitingMax: 4,
    waitingPerAccountMax: 3,
    waitMsMax: 10_000,
    ...limits,
  });

/** Takes a turn and notes the name when it begins. */
const taker = (turns: FairTurns) => {
  const begun: string[] = [];
  const take = (account: string, name: string, signal = never) =>
    turns.take(account, signal).then((end) => {
      if (end) begun.push(name);
      return end ?? (() => undefined);
    });
  return { begun, take };
};

describe('turns that accounts share', () => {
  it('are not all of one account, which waits for its own', async () => {
    const turns = turnsWith();
    const { begun, take } = taker(turns);
    const first = await take('a', 'a1');
    await take('a', 'a2');
    const third = take('a', 'a3');
    await take('b', 'b1');
    expect([turns.running, turns.waiting]).toEqual([3, 1]);
    first();
    await third;
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('go to the accounts in rounds', async () => {
    const turns = turnsWith({ runningMax: 1 });
    const { begun, take } = taker(turns);
    const end = await take('a', 'a1');
    const waiting = [take('a', 'a2'), take('a', 'a3'), take('b', 'b1'), take('c', 'c1')];
    end();
    await Promise.all(waiting.map(async (turn) => (await turn)()));
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    expect([turns.running, turns.waiting]).toEqual([0, 0]);
  });

  it('count once when they are given back twice', async () => {
    const turns = turnsWith();
    const { take } = taker(turns);
    const end = await take('a', 'a1');
    await take('a', 'a2');
    end();
    end();
    expect(turns.running).toBe(1);
  });

  it('have a bounded line, of each account and of all', async () => {
    const turns = turnsWith({ runningMax: 1 });
    const { take } = taker(turns);
    await take('a', 'a1');
    const leaving = new AbortController();
    for (const name of ['a2', 'a3', 'a4']) void take('a', name, leaving.signal);
    await expect(take('a', 'a5')).rejects.toThrow('3 requests of this account wait already');
    void take('b', 'b1', leaving.signal);
    await expect(take('c', 'c1')).rejects.toThrow('4 requests wait already');
    leaving.abort();
    expect(turns.waiting).toBe(0);
  });

  it('do not wait for long, nor for a caller that left', async () => {
    const turns = turnsWith({ runningMax: 1, waitMsMax: 20 });
    const { begun, take } = taker(turns);
    await take('a', 'a1');
    await expect(take('b', 'b1')).rejects.toThrow(NoTurnError);
    const controller = new AbortController();
    const left = take('b', 'b2', controller.signal);
    controller.abort();
    await left;
    expect([turns.waiting, begun]).toEqual([0, ['a1']]);
  });
});
