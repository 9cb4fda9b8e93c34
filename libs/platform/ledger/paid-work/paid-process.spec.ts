import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FakeLedger } from '../ledger.fake.js';
import { PaidProcesses, type ProcessStatus } from './paid-process.js';
import { paidProcessContract } from './paid-process.contract.js';

const NOW = '2026-11-24T10:00:00.000Z';
const LATER = '2026-11-24T10:05:00.000Z';
const HOLD = '01996f4e-0000-7000-8000-000000000001';
const LINE = { meter: 'knots', quantity: 5, unitPriceMicroUsd: '2', perUnits: 1 };
const context = contextOf(HOLD, 'saga:looms');
const hold = {
  accountId: '7',
  holdId: HOLD,
  purpose: 'weaving',
  lines: [LINE],
  rateCardVersion: 3,
  evidence: {},
  expiresAt: LATER,
};
const ended = { hold, status: 'completed', endedAt: NOW } as const;
const facts = { usageSource: 'counted', evidence: {} } as const;

paidProcessContract('the piece itself', {
  hold,
  now: NOW,
  open: (processes) => ({
    extend: async () => {
      const period = { lines: [LINE], expiresAt: LATER, renewedAt: NOW };
      await processes.renew(hold, period, context);
    },
    end: async (status) => {
      const usage = [
        { meter: 'knots', quantity: 2, rig: 'one' },
        { meter: 'knots', quantity: 1, rig: 'other' },
      ];
      await (status === 'failed'
        ? processes.free({ ...ended, status }, context)
        : processes.charge({ ...ended, ...facts, usage }, context));
    },
  }),
});

describe('a paid process', () => {
  const open = async () => {
    const ledger = new FakeLedger();
    const processes = new PaidProcesses(ledger, { now: () => Date.parse(NOW) });
    await processes.place(hold, NOW, context);
    return { ledger, processes };
  };

  it.each<[ProcessStatus, string, string]>([
    ['completed', 'completed', 'internal_error'],
    ['budget_exhausted', 'completed', 'refused'],
    ['failed', 'upstream_failed', 'upstream_failed'],
    ['parked', 'upstream_failed', 'internal_error'],
    ['cancelled', 'client_gone', 'client_gone'],
    ['timed_out', 'timed_out', 'timed_out'],
  ])('that is %s is captured as %s, or released as %s', async (status, outcome, reason) => {
    const charged = await open();
    const usage = [{ meter: 'knots', quantity: 3 }];
    const settlement = await charged.processes.charge(
      { ...ended, ...facts, usage, status },
      context,
    );
    expect(settlement).toEqual({ outcome: 'charged', amount: 6n });
    expect(charged.ledger.captured).toMatchObject({ outcome });
    const { ledger, processes } = await open();
    const free = await processes.free({ ...ended, status }, context);
    expect(free).toEqual({ outcome: 'free', amount: 0n });
    expect(ledger.settled).toMatchObject([{ left: { reason, notBefore: NOW } }]);
  });

  it('is uncollected when its hold has expired and the account cannot pay', async () => {
    const { ledger, processes } = await open();
    ledger.expire();
    ledger.failures.place = new DomainError('insufficient_balance', 'too little');
    const usage = [{ meter: 'knots', quantity: 3 }];
    const settlement = await processes.charge({ ...ended, ...facts, usage }, context);
    expect(settlement).toEqual({ outcome: 'uncollected', amount: 6n });
  });

  it('frees the hold of work that could not begin', async () => {
    const { ledger, processes } = await open();
    await processes.abandon(hold, NOW, context);
    expect(ledger.settled).toMatchObject([{ left: { holdId: HOLD, reason: 'refused' } }]);
  });
});
