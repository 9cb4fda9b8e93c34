import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

interface Asked {
  readonly account: string;
  readonly number: number;
}

/** Serves one item, and says whose it was. */
const next = (queue: FairQueue<Asked>): Asked | undefined => {
  let served: Asked | undefined;
  queue.serve((item) => {
    if (served) return false;
    served = item;
    return true;
  });
  return served;
};

describe('a fair queue', () => {
  it('serves accounts in turn, and the items of an account in order', () => {
    const queue = new FairQueue<Asked>();
    for (const number of [1, 2, 3]) queue.add('loud', { account: 'loud', number });
    queue.add('quiet', { account: 'quiet', number: 1 });
    const order = Array.from({ length: 4 }, () => next(queue));
    expect(order.map((item) => `${item?.account} ${item?.number}`)).toEqual([
      'loud 1',
      'quiet 1',
      'loud 2',
      'loud 3',
    ]);
    expect(queue.size).toBe(0);
  });

  it('passes over what is not taken, and leaves its turn to its account', () => {
    const queue = new FairQueue<Asked>();
    for (const account of ['a', 'b']) queue.add(account, { account, number: 1 });
    const taken: string[] = [];
    queue.serve(({ account }) => account === 'b' && taken.push(account) > 0);
    queue.add('b', { account: 'b', number: 2 });
    expect(taken).toEqual(['b']);
    expect(next(queue)?.account).toBe('a');
  });

  it('forgets an item that is deleted while others are served', () => {
    const queue = new FairQueue<Asked>();
    const [first, second] = [1, 2].map((number) => ({ account: 'a', number }));
    if (!first || !second) throw new Error('two items');
    queue.add('a', first);
    queue.add('a', second);
    queue.serve((item) => {
      queue.delete('a', second);
      return item === first;
    });
    expect([queue.size, queue.sizeOf('a'), queue.has('a', second)]).toEqual([0, 0, false]);
    queue.delete('a', first);
    expect(queue.size).toBe(0);
  });

  it('serves accounts that always wait equally often, to within one', () => {
    const account = fc.nat({ max: 5 });
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant('serve' as const) },
        // More items, of one account only or of all.
        { weight: 1, arbitrary: account },
      ),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (accounts, sequence) => {
        const queue = new FairQueue<Asked>();
        const served = new Array<number>(accounts).fill(0);
        let number = 0;
        const add = (index: number): void => {
          queue.add(String(index), { account: String(index), number: (number += 1) });
        };
        for (const index of served.keys()) add(index);
        for (const step of sequence) {
          if (step !== 'serve') {
            add(step % accounts);
            continue;
          }
          const index = Number(next(queue)?.account);
          served[index] = (served[index] ?? 0) + 1;
          // The account keeps waiting.
          if (queue.sizeOf(String(index)) === 0) add(index);
          expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('lets no account starve: each is served once in every round', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(counts, (waiting) => {
        const queue = new FairQueue<Asked>();
        for (const [index, count] of waiting.entries()) {
          for (let number = 0; number < count; number += 1) {
            queue.add(String(index), { account: String(index), number });
          }
        }
        const order: (Asked | undefined)[] = [];
        while (queue.size > 0) order.push(next(queue));
        for (const [index, count] of waiting.entries()) {
          const own = order.filter((item) => item?.account === String(index));
          expect(own.map((item) => item?.number)).toEqual(
            Array.from({ length: count }, (_, n) => n),
          );
        }
        // No account has its n-th item served before another that waits has had its (n - 1)-th.
        const rounds = order.map((item) => item?.number ?? NaN);
        expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
      }),
    );
  });
});
