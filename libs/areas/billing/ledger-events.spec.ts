import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNT, deposit, HOLD, open, place } from './account.fixture.js';
import { type Billing, openBilling } from './billing-world.fixture.js';

describe('following the ledger', () => {
  let billing: Billing;
  let abort: AbortController;

  beforeEach(async () => {
    billing = await openBilling();
    abort = new AbortController();
    await billing.run(open);
    await billing.run(deposit(2_000));
  });

  afterEach(async () => {
    abort.abort();
    await billing.close();
  });

  /** The first steps after a place, as texts. */
  const steps = async (after: bigint | null, count: number): Promise<readonly string[]> => {
    const { follow } = await billing.events(ACCOUNT, after);
    const found: string[] = [];
    for await (const { size, explained } of follow(abort.signal)) {
      found.push(`${size} ${explained?.event.type ?? 'head'}`);
      if (found.length === count) break;
    }
    return found;
  };

  it('begins at the head, and has each later event at its place', async () => {
    const { follow } = await billing.events(ACCOUNT, null);
    const events = follow(abort.signal);
    expect((await events.next()).value).toMatchObject({ size: 2n, explained: null });
    await billing.run(deposit(500, 'another'));
    const found = await events.next();
    expect(found.value).toMatchObject({
      size: 3n,
      explained: { event: { type: 'FundsDeposited' }, availableAfter: 2_500n },
    });
    await events.return();
  });

  it('says when the last event was recorded, also of the head', async () => {
    const first = async (after: bigint | null, count: number) => {
      const { follow } = await billing.events(ACCOUNT, after);
      for await (const step of follow(abort.signal)) if ((count -= 1) === 0) return step;
      throw new Error('the stream ended');
    };
    const { recordedAt, explained } = await first(1n, 2);
    expect(recordedAt).toMatch(/^\d{4}-.*Z$/);
    expect(explained?.recordedAt).toBe(recordedAt);
    expect(await first(null, 1)).toEqual({ size: 2n, recordedAt, explained: null });
    expect(await first(0n, 1)).toEqual({ size: 0n, recordedAt: null, explained: null });
  });

  it('continues behind a place without a gap', async () => {
    await billing.run(deposit(500, 'another'));
    expect(await steps(1n, 3)).toEqual(['1 head', '2 FundsDeposited', '3 FundsDeposited']);
    expect(await steps(2n, 2)).toEqual(['2 head', '3 FundsDeposited']);
    expect(await steps(0n, 2)).toEqual(['0 head', '1 AccountOpened']);
  });

  it('has no event of an account whose id begins alike', async () => {
    const accountId = `${ACCOUNT}2`;
    const other = { ...deposit(1).data, accountId };
    await billing.run({ ...open, data: { ...open.data, accountId } });
    await billing.run({ type: 'DepositFunds', data: other });
    await billing.run(deposit(500, 'another'));
    const followed = (await steps(2n, 2)).concat(await steps(4n, 2));
    expect(followed.filter((step) => !step.endsWith('head'))).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^[34] /)]),
    );
    expect(followed).toContain('5 FundsDeposited');
  });

  it('rejects a place that the log does not have', async () => {
    await expect(billing.events(ACCOUNT, 3n)).rejects.toMatchObject({
      code: 'ledger_event_unknown',
    });
  });

  it('lists the open holds', async () => {
    expect(await billing.openHolds(ACCOUNT)).toEqual({ holds: [], total: 0, position: 2n });
    await billing.run(place([1_000, 0]));
    expect(await billing.openHolds(ACCOUNT)).toMatchObject({
      total: 1,
      position: 3n,
      holds: [{ holdId: HOLD, purpose: place([1, 0]).data.purpose, amount: 150n }],
    });
  });
});
