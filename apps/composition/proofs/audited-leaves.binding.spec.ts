import { describe, expect, it } from '@jest/globals';
import { AuditedLeaves } from './audited-leaves.binding.js';

const documents = Array.from({ length: 5 }, (_, n) => ({
  document: {
    ...{ accountId: `user-${n}`, available: `${n - 1}`, held: '10' },
    ...{ bundleId: `bundle-${n}`, bundleBytes: n },
  },
}));

/** A log of 8 events whose last one is at position 12, and pages of two accounts. */
const source = new AuditedLeaves(
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

describe('the leaves of a snapshot', () => {
  it('are of the position of the last leaf', async () => {
    expect(await source.checkpoint()).toEqual({
      position: 12n,
      size: 8,
      rootSha256: 'ab',
      note: 'note',
    });
  });

  it('are available and held, over all pages', async () => {
    const { atMs, leaves } = await source.leavesAt('ledger_balances', 12n, 100);
    expect(atMs).toBe(1_000);
    expect(leaves.map(({ amount }) => amount)).toEqual([9n, 10n, 11n, 12n, 13n]);
    expect(leaves[0]).toMatchObject({ id: 'user-0', accountId: 'user-0' });
  });

  it('end with one leaf above the limit', async () => {
    expect((await source.leavesAt('ledger_balances', 12n, 2)).leaves).toHaveLength(3);
  });

  it('are the bundles in custody, with their bytes', async () => {
    const { leaves } = await source.leavesAt('orbital_bundles', 12n, 100);
    expect(leaves[3]).toEqual({ id: 'bundle-3', accountId: 'user-3', amount: 3n });
  });
});
