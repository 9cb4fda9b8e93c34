import { describe, expect, it } from '@jest/globals';
import { type CustodyHold } from '#events/dtn/dtn.events.js';
import { UserId } from '#events/vocabulary.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { CustodyFunds, type PricedBundle } from './custody-funds.js';

const AT = '2026-11-25T19:00:00.000Z';
const HALF_PAST = '2026-11-25T20:30:00.000Z';
const END = '2026-11-26T19:00:00.000Z';
const PRICES = new Map([
  ['custody_bundles', { unitPriceMicroUsd: '10', perUnits: 1 }],
  ['custody_byte_hours', { unitPriceMicroUsd: '1', perUnits: 1 }],
]);
const bundle: PricedBundle = {
  ...{ bundleId: '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c', accountId: '7', acceptedAt: AT },
  ...{ priority: 'normal', lifetimeSec: 86_400, bundleBytes: 96, expiresAt: END },
};
const context = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7', { key: 'key-1' });

const open = (prices = PRICES) => {
  const ledger = new FakeLedger();
  const clock = { now: () => Date.parse(AT) };
  const processes = new PaidProcesses(ledger, clock);
  const list = { inForce: () => ({ rateCardVersion: 3, prices }) };
  return { ledger, funds: new CustodyFunds(processes, ledger, list, clock) };
};

const endedBy = (
  hold: CustodyHold,
  status: CustodyRecord['status'],
  endedAt: string | null,
): CustodyRecord => ({
  ...bundle,
  ...{ userId: UserId.parse(7), source: 'dtn://quipu/out', destination: 'dtn://moon/in' },
  ...{ payloadEncoding: 'hex', payloadBytes: 5, blob: 'a'.repeat(64), route: null, history: [] },
  ...{ status, reason: null, endedAt, hold },
});

/** The units by meter of the lines of a charge. */
const unitsOf = ({ captured }: FakeLedger) =>
  Object.fromEntries(captured.lines.map(({ meter, quantity }) => [meter, quantity]));

describe('the price of custody', () => {
  it('is held for the whole lifetime, and a day longer', async () => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    expect(ledger.placed).toMatchObject({
      holdId: hold.holdId,
      purpose: 'bundle_custody',
      lines: [
        { meter: 'custody_bundles', quantity: 1 },
        { meter: 'custody_byte_hours', quantity: 24 * 96 },
      ],
      rateCardVersion: 3,
      key: 'key-1',
      expiresAt: '2026-11-27T19:00:00.000Z',
    });
  });

  it.each([
    ['cancelled', HALF_PAST, 2],
    ['cancelled', AT, 1],
    ['expired', END, 24],
    ['expired', '2026-11-29T19:00:00.000Z', 24],
  ] as const)('is charged when the bundle is %s at %s: %d hours', async (status, at, hours) => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    await funds.charge(endedBy(hold, status, at), context);
    expect(unitsOf(ledger)).toEqual({ custody_bundles: 1, custody_byte_hours: hours * 96 });
    expect(ledger.captured).toMatchObject({
      holdId: hold.holdId,
      evidence: { end: status, hours },
      excess: [],
    });
  });

  it('is charged once', async () => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    await funds.charge(endedBy(hold, 'expired', END), context);
    ledger.found = 'charged';
    await funds.charge(endedBy(hold, 'expired', END), context);
    expect(ledger.captures).toHaveLength(1);
  });

  it('is charged although its hold has expired', async () => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    ledger.expire();
    await funds.charge(endedBy(hold, 'cancelled', HALF_PAST), context);
    expect(ledger.calls).toEqual([
      ...['place', 'capture client_gone', 'settle', 'place', 'capture client_gone'],
    ]);
  });

  it('is not charged while the bundle is stored', async () => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    await funds.charge(endedBy(hold, 'stored', null), context);
    expect(ledger.calls).toEqual(['place']);
  });

  it('is free for a bundle that was not accepted', async () => {
    const { ledger, funds } = open();
    const hold = await funds.place(bundle, context);
    await funds.abandon(bundle, hold, context);
    expect(ledger.settled).toMatchObject([{ left: { holdId: hold.holdId, reason: 'refused' } }]);
  });

  it('is asked of accounts that can pay, on a rate card that has it', async () => {
    const { ledger, funds } = open();
    ledger.failures.place = new DomainError('insufficient_balance', 'too little');
    await expect(funds.place(bundle, context)).rejects.toBe(ledger.failures.place);
    const unpriced = open(new Map());
    const placing = unpriced.funds.place(bundle, context);
    await expect(placing).rejects.toMatchObject({ code: 'dtn_not_priced' });
  });
});
