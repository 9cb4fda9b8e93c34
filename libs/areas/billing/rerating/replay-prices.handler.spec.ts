import { describe, expect, it } from '@jest/globals';
import { ReplayPricesHandler, ReplayPricesQuery, TURNS } from './replay-prices.handler.js';
import { type RepriceCharges, type RepriceOrder } from './reprice-charges.js';

/** Of projections: these replays are of the present. */
const NO_PAST = {} as ConstructorParameters<typeof ReplayPricesHandler>[1];
const orderOf = (accountId: string) => ({ accountId }) as unknown as RepriceOrder;

describe('a replay of prices', () => {
  it('is one at a time for an account, and rejects a crowd', async () => {
    const running: (string | null)[] = [];
    const { promise: over, resolve: end } =
      Promise.withResolvers<Awaited<ReturnType<RepriceCharges['run']>>>();
    const charges = {
      run: ({ accountId }: RepriceOrder) => {
        running.push(accountId);
        return over;
      },
    } as unknown as RepriceCharges;
    const handler = new ReplayPricesHandler(charges, NO_PAST);
    const ask = (accountId: string) =>
      handler.execute(new ReplayPricesQuery(orderOf(accountId), '2026-11-01', '2026-12-01'));
    const all = Array.from({ length: 1 + TURNS.waitingMax }, () => ask('7'));
    await expect(ask('7')).rejects.toMatchObject({ code: 'too_many_replays' });
    const other = ask('8');
    await new Promise(setImmediate);
    expect(running).toEqual(['7', '8']);
    end({ accounts: [], position: 1n });
    expect(await Promise.all([...all, other])).toHaveLength(2 + TURNS.waitingMax);
  });
});
