import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FakeLedger } from '../ledger.fake.js';
import { PaidRequests } from './paid-request.js';
import { paidWorkContract } from './paid-work.contract.js';

const NOW = Date.parse('2026-11-24T10:00:00.000Z');
const GONE = new DomainError('hold_not_open', 'it is gone');
const LINE = { meter: 'knots', quantity: 5, unitPriceMicroUsd: '2', perUnits: 1 };
const WORST = {
  purpose: 'weaving',
  lines: [LINE],
  rateCardVersion: 3,
  evidence: {},
  pricedAtMs: NOW,
  requestMsMax: 1_000,
};
const DONE = { usageSource: 'counted', outcome: 'completed', evidence: {} } as const;

paidWorkContract('the piece itself', {
  requestMsMax: WORST.requestMsMax,
  open: (paid, _clock, work) =>
    Promise.resolve(async (order) => {
      const held = await paid.admit(order, WORST);
      try {
        work();
      } catch (error) {
        await held.release('upstream_failed');
        throw error;
      }
      await held.capture({ ...DONE, ...held.charged([LINE]) });
    }),
});

describe('a paid request', () => {
  const open = () => {
    const ledger = new FakeLedger();
    const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, { now: () => NOW });
    const context = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');
    const order = { accountId: '7', receivedAtMs: NOW, context };
    return { ledger, admit: (changes = {}) => paid.admit({ ...order, ...changes }, WORST) };
  };

  it('is cut when the retry that took it over has released its hold already', async () => {
    const { ledger, admit } = open();
    ledger.failures.release = GONE;
    await expect(admit({ confirm: () => Promise.resolve(false) })).rejects.toMatchObject({
      reason: 'timed_out',
    });
  });

  it('fails with the error of its capture when its hold cannot be released either', async () => {
    const { ledger, admit } = open();
    const held = await admit();
    ledger.failures.capture = new Error('no space');
    ledger.failures.release = GONE;
    await expect(held.capture({ ...DONE, ...held.charged([LINE]) })).rejects.toThrow('no space');
  });

  it('charges the lines that the balance covered, and records the excess', async () => {
    const { ledger, admit } = open();
    ledger.covers = { knots: 3 };
    const held = await admit();
    expect(held.charged([{ ...LINE, rig: 'loom' }])).toEqual({
      rig: 'loom',
      lines: [{ ...LINE, quantity: 3 }],
      excess: [{ meter: 'knots', quantity: 2 }],
    });
  });
});
