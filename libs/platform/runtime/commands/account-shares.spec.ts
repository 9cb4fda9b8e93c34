import { describe, expect, it } from '@jest/globals';
import { AccountShares } from './account-shares.js';

const never = new AbortController().signal;
const turn = () => new Promise(setImmediate);

const open = () => {
  const shares = new AccountShares({ total: 6, perAccount: 4, reserve: 2 });
  const entered: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (account: string, weight = 1, signal = never) =>
    shares.enter(account, weight, signal).then((leave) => {
      entered.push(account);
      leaves.push(leave);
    });
  return { shares, entered, leaves, enter };
};

describe('shares of accounts', () => {
  it('give an account no more than its share, and other accounts the rest', async () => {
    const { entered, enter } = open();
    for (let n = 0; n < 9; n += 1) void enter('loud');
    for (let n = 0; n < 3; n += 1) void enter('quiet');
    await turn();
    expect(entered.toSorted()).toEqual(['loud', 'loud', 'loud', 'loud', 'quiet', 'quiet']);
  });

  it('give an account that has nothing something of the reserve', async () => {
    const { shares, entered, enter } = open();
    for (let n = 0; n < 5; n += 1) void enter('one').then(() => undefined);
    for (let n = 0; n < 5; n += 1) void enter('two').then(() => undefined);
    void enter('three');
    void enter('three');
    void enter('four');
    void enter('five');
    await turn();
    expect(entered.filter((account) => account === 'three')).toHaveLength(1);
    expect(entered).toContain('four');
    expect(entered).not.toContain('five');
    expect(shares.total).toBe(8);
  });

  it('go to waiting accounts in turn, as holders leave', async () => {
    const { entered, leaves, enter } = open();
    await Promise.all([enter('a', 4), enter('b', 2)]);
    for (let n = 0; n < 3; n += 1) void enter('a');
    void enter('b');
    await turn();
    expect(entered).toEqual(['a', 'b']);
    leaves[0]?.();
    leaves[0]?.();
    await turn();
    expect(entered).toEqual(['a', 'b', 'a', 'b', 'a', 'a']);
  });

  it('do not go to a caller that has left the queue', async () => {
    const { shares, enter } = open();
    const leaving = new AbortController();
    await enter('a', 4);
    const waiting = enter('a', 1, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await expect(enter('a', 1, leaving.signal)).rejects.toThrow('left');
    expect(shares.total).toBe(4);
  });
});
