import { describe, expect, it } from '@jest/globals';
import { AuditedBalances } from './audited-balances.binding.js';

const documents = Array.from({ length: 5 }, (_, n) => ({
  document: { accountId: `user-${n}`, available: `${n - 1}`, held: '10' },
}));

/** A log of 8 events whose last one is at position 12, and pages of two accounts. */
const balances = new AuditedBalances(
  {
    checkpoint: () =>
      Promise.resolve({ origin: 'quipu', size: 8, root: Buffer.from('ab', 'hex'), note: 'note' }),
    leaf: (index: number) => Promise.resolve({ index, position: 12n }),
  } as never,
  {
    at: () =>
      Promise.resolve({
        readAt: 1_000,
        list: (_projection: unknown, { limit, offset }: { limit: number; offset: number }) =>
          Promise.resolve({ documents: documents.slice(offset, offset + Math.min(2, limit)) }),
      }),
  } as never,
);

describe('the audited balances', () => {
  it('are of the position of the last leaf', async () => {
    expect(await balances.checkpoint()).toEqual({
      position: 12n,
      size: 8,
      rootSha256: 'ab',
      note: 'note',
    });
  });

  it('are available and held, over all pages', async () => {
    const { atMs, accounts } = await balances.at(12n, 100);
    expect(atMs).toBe(1_000);
    expect(accounts.map(({ microUsd }) => microUsd)).toEqual([9n, 10n, 11n, 12n, 13n]);
  });

  it('end with one account above the limit', async () => {
    expect((await balances.at(12n, 2)).accounts).toHaveLength(3);
  });
});
