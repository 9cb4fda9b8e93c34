import { describe, expect, it } from '@jest/globals';
import { type FundsDeposited, type HoldCaptured } from '#events/billing/account.events.js';
import { captured, deposited, OPENED_AT } from '#areas/billing/account.fixture.js';
import { type InvoiceRecord, invoices } from './invoices.projection.js';

/** The documents after these events, by key. */
const recordsOf = (...events: readonly (FundsDeposited | HoldCaptured)[]) => {
  const documents = new Map<string, InvoiceRecord>();
  for (const event of events) {
    for (const key of invoices.keys(event)) {
      const after = invoices.project(event, documents.get(key) ?? invoices.initial(key), key);
      if (after) documents.set(key, after);
    }
  }
  return Object.fromEntries(documents);
};

const chargedAt = (capturedAt: string): HoldCaptured => {
  const { type, data } = captured([900, 100], 195, 555, 805);
  return { type, data: { ...data, capturedAt } };
};

describe('invoices', () => {
  it('has a record for each deposit', () => {
    expect(recordsOf(deposited(1_000, 1_000))).toEqual({
      [`7/${OPENED_AT}/deposit-1`]: {
        kind: 'deposit',
        number: 1,
        reference: 'first',
        amount: '1000',
        method: 'manual_credit',
        createdAt: OPENED_AT,
      },
    });
  });

  it('keeps deposits of the same instant apart', () => {
    const both = recordsOf(deposited(1_000, 1_000), deposited(5, 1_005, 'second', 2));
    expect(Object.keys(both)).toHaveLength(2);
  });

  it('has one statement for each month of charges, in UTC', () => {
    const records = recordsOf(
      chargedAt('2026-11-30T23:59:59.999Z'),
      chargedAt('2026-11-01T00:00:00.000Z'),
      chargedAt('2026-12-01T00:00:00.000Z'),
    );
    expect(Object.values(records)).toEqual([
      {
        kind: 'usage',
        month: '2026-11',
        amount: '390',
        charges: 2,
        createdAt: '2026-11-01T00:00:00.000Z',
      },
      {
        kind: 'usage',
        month: '2026-12',
        amount: '195',
        charges: 1,
        createdAt: '2026-12-01T00:00:00.000Z',
      },
    ]);
  });

  it('orders the keys of an account by time', () => {
    const keys = Object.keys(
      recordsOf(
        chargedAt('2026-10-05T00:00:00.000Z'),
        chargedAt('2026-11-30T00:00:00.000Z'),
        deposited(1_000, 1_000),
      ),
    );
    expect([...keys].sort()).toEqual(keys);
  });
});
