import { describe, expect, it } from '@jest/globals';
import {
  type ChargeAdjusted,
  type FundsDeposited,
  type HoldCaptured,
  type StatementClosed,
  type StatementTax,
} from '#events/billing/account.events.js';
import {
  adjusted,
  ADJUSTED_AT,
  captured,
  deposited,
  OPENED_AT,
  statementClosed,
} from '#areas/billing/account.fixture.js';
import {
  created,
  CREATED_AT,
  EXPIRES_AT,
  INVOICE_ID,
  terms,
  WATCH_UNTIL,
} from '#areas/payments/invoices/crypto-invoice.fixture.js';
import {
  CryptoInvoiceClosed,
  type CryptoInvoiceEvent,
  CryptoInvoiceExpired,
} from '#events/payments/crypto-invoice.events.js';
import { type InvoiceRecord, invoices } from './invoices.projection.js';

type Event = FundsDeposited | HoldCaptured | ChargeAdjusted | StatementClosed | CryptoInvoiceEvent;

/** The documents after these events, by key. */
const recordsOf = (...events: readonly Event[]) => {
  const documents = new Map<string, InvoiceRecord>();
  for (const event of events) {
    for (const key of invoices.keys(event)) {
      const after = invoices.project(event, documents.get(key) ?? invoices.initial(key), key);
      if (after) documents.set(key, after);
      else documents.delete(key);
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
        isClosed: false,
        tax: null,
      },
      {
        kind: 'usage',
        month: '2026-12',
        amount: '195',
        charges: 1,
        createdAt: '2026-12-01T00:00:00.000Z',
        isClosed: false,
        tax: null,
      },
    ]);
  });

  it('closes the statement of a month with its tax', () => {
    const tax: StatementTax = {
      country: 'DE',
      region: null,
      treatment: 'taxable',
      kind: 'vat',
      source: 'a table',
      ratePpm: 190_000,
      grossMicroUsd: '195',
      taxMicroUsd: '31',
    };
    const closed = statementClosed([0, 0, 195, 0, -195], 0, { tax });
    const records = recordsOf(chargedAt('2026-11-30T23:59:59.999Z'), closed);
    expect(Object.values(records)).toMatchObject([{ amount: '195', isClosed: true, tax }]);
  });

  it('has a late charge on the statement that it is booked in', () => {
    const { type, data } = chargedAt('2026-11-30T23:59:59.999Z');
    const records = recordsOf({ type, data: { ...data, bookedIn: '2026-12' } });
    expect(Object.values(records)).toMatchObject([{ month: '2026-12', amount: '195' }]);
  });

  it('has a record for each adjustment', () => {
    expect(recordsOf(adjusted(5, 810))).toEqual({
      [`7/${ADJUSTED_AT}/adjustment-1`]: {
        kind: 'credit_note',
        number: 1,
        reference: 'first',
        amount: '5',
        createdAt: ADJUSTED_AT,
      },
    });
  });

  it('has a crypto invoice until it is paid; what is paid is a deposit', () => {
    const key = `7/${CREATED_AT}/crypto-${INVOICE_ID}`;
    const record = {
      kind: 'crypto_invoice',
      invoiceId: INVOICE_ID,
      orderId: terms.orderId,
      amount: '100000000',
      method: 'BTC',
      status: 'pending',
      createdAt: CREATED_AT,
    };
    expect(recordsOf(created)).toEqual({ [key]: record });
    const shared = { invoiceId: INVOICE_ID, accountId: '7', createdAt: CREATED_AT } as const;
    const expired = CryptoInvoiceExpired.of({
      ...shared,
      status: 'expired',
      confirmedUnits: '0',
      expiredAt: EXPIRES_AT,
    });
    expect(recordsOf(created, expired)).toEqual({ [key]: { ...record, status: 'expired' } });
    const closed = CryptoInvoiceClosed.of({ ...shared, status: 'late', closedAt: WATCH_UNTIL });
    expect(recordsOf(created, expired, closed)).toEqual({});
    expect(recordsOf(closed)).toEqual({});
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
