import { describe, expect, it } from '@jest/globals';
import { type AccountTelemetry } from '#areas/billing/account-overview.handler.js';
import { type StatementTax } from '#events/billing/account.events.js';
import { type InvoiceRecord } from '#projections/billing/invoices.projection.js';
import { presentInvoices, presentOverview } from './billing.presenter.js';

const account: AccountTelemetry = {
  balance: 9_700_000n,
  available: 9_600_000n,
  held: 100_000n,
  openHolds: 2,
  deposited: 10_000_000n,
  adjusted: 0n,
  chargedInference: 300_000n,
  chargedCompute: 0n,
  chargedInWindow: 240_000n,
  windowHours: 24,
  position: 42n,
};

const untaxed = { status: null, rate: null, stale: [], position: 42n };

describe('the overview of an account', () => {
  it('is in dollars, with the spending rate', () => {
    expect(presentOverview(account, untaxed)).toEqual({
      success: true,
      balance_usd: 9.7,
      available_usd: 9.6,
      held_usd: 0.1,
      adjusted_usd: 0,
      currency: 'USD',
      telemetry: {
        burn_rate_per_hour: 0.01,
        runway_hours: 960,
        runway_days: 40,
        active_compute_jobs: 2,
        total_compute_spend: 0,
        total_inference_spend: 0.3,
        lifetime_deposited: 10,
      },
      tax_status: {
        iso_country: null,
        tax_exempt: null,
        vat_rate_pct: null,
        tables_as_of: { vat: null, withholding: null },
        stale_tables: [],
      },
      position: '42',
    });
  });

  it('shows the tax status', () => {
    const status = {
      accountId: '7',
      country: 'FI',
      region: null,
      setAt: '2026-11-21T04:48:00.000Z',
      taxExempt: true,
      business: false,
      treatyClaimed: false,
    };
    const rate = {
      kind: 'vat',
      ratePpm: 255_000,
      source: 'a table',
      asOf: '2026-07-17',
      isVerified: true,
    };
    const taxed = { status, rate, stale: ['vat'], position: 42n } as const;
    expect(presentOverview(account, taxed).tax_status).toEqual({
      iso_country: 'FI',
      tax_exempt: true,
      vat_rate_pct: 25.5,
      tables_as_of: { vat: '2026-07-17', withholding: null },
      stale_tables: ['vat'],
    });
  });

  it('shows the cost of compute without inference', () => {
    const rented = { ...account, chargedCompute: 2_000_000n };
    expect(presentOverview(rented, untaxed).telemetry).toMatchObject({
      total_compute_spend: 2,
      total_inference_spend: 0.3,
    });
  });

  it('has no runway without spending', () => {
    expect(presentOverview({ ...account, chargedInWindow: 0n }, untaxed).telemetry).toMatchObject({
      burn_rate_per_hour: 0,
      runway_hours: null,
      runway_days: null,
    });
  });

  it('has a runway of zero without funds', () => {
    expect(presentOverview({ ...account, available: 0n }, untaxed).telemetry.runway_hours).toBe(0);
  });
});

describe('a page of invoices', () => {
  const page = {
    records: [
      {
        kind: 'deposit',
        number: 1,
        reference: 'opening-credit',
        amount: '10000000',
        method: 'opening_credit',
        createdAt: '2026-11-21T04:48:00.123Z',
      },
      {
        kind: 'usage',
        month: '2026-11',
        amount: '300000',
        charges: 12,
        createdAt: '2026-11-01T00:00:00.000Z',
        isClosed: false,
        tax: null,
      },
    ],
    total: 41,
    position: 42n,
  } as const;

  const pageOf = (invoiceId: string): string => `https://quipu.example/pay/${invoiceId}`;

  it('shows a crypto invoice with the page on which it is paid', () => {
    const invoice: InvoiceRecord = {
      kind: 'crypto_invoice',
      invoiceId: '01890a5d-ac96-774b-8cce-b302099a8057',
      orderId: 'CI-0123456789AB',
      amount: '50000000',
      method: 'BTC',
      status: 'pending',
      createdAt: '2026-12-02T08:00:00.000Z',
    };
    const records = [invoice];
    const options = { page: 1, limit: 20 };
    expect(presentInvoices(options, { ...page, records }, account, pageOf).invoices).toEqual([
      {
        // 2^48 and 0xb302099a8057
        id: 478_296_309_137_495,
        reference_id: 'CI-0123456789AB',
        invoice_type: 'deposit',
        amount: 50,
        currency: 'USD',
        payment_method: 'BTC',
        status: 'pending',
        tax: null,
        created_at: '2026-12-02 08:00:00',
        payment_url: 'https://quipu.example/pay/01890a5d-ac96-774b-8cce-b302099a8057',
      },
    ]);
  });

  it('shows deposits and statements in one shape', () => {
    expect(presentInvoices({ page: 2, limit: 20 }, page, account, pageOf)).toEqual({
      success: true,
      balance_usd: 9.7,
      page: 2,
      limit: 20,
      total_records: 41,
      total_pages: 3,
      invoices: [
        {
          id: 1,
          reference_id: 'opening-credit',
          invoice_type: 'deposit',
          amount: 10,
          currency: 'USD',
          payment_method: 'opening_credit',
          status: 'completed',
          created_at: '2026-11-21 04:48:00',
          payment_url: null,
          tax: null,
        },
        {
          id: 9_202_611,
          reference_id: 'usage-2026-11',
          invoice_type: 'usage',
          amount: 0.3,
          currency: 'USD',
          payment_method: 'balance',
          status: 'open',
          created_at: '2026-11-01 00:00:00',
          payment_url: null,
          tax: null,
        },
      ],
      position: '42',
    });
  });

  it('shows the tax of a closed statement', () => {
    const tax: StatementTax = {
      country: 'FI',
      region: null,
      treatment: 'taxable',
      kind: 'vat',
      source: 'a table',
      ratePpm: 255_000,
      grossMicroUsd: '300000',
      taxMicroUsd: '60956',
    };
    const usage = { ...page.records[1], isClosed: true, tax };
    const { invoices } = presentInvoices(
      { page: 1, limit: 20 },
      { ...page, records: [usage] },
      account,
      pageOf,
    );
    expect(invoices).toMatchObject([
      { status: 'completed', tax: { country: 'FI', rate_pct: 25.5, tax_micro_usd: '60956' } },
    ]);
  });

  it('shows a correction as a record of its own', () => {
    const note: InvoiceRecord = {
      kind: 'credit_note',
      number: 1,
      reference: 'outage',
      amount: '5',
      createdAt: '2026-12-02T08:00:00.000Z',
    };
    const records = [note];
    const { invoices } = presentInvoices(
      { page: 1, limit: 20 },
      { ...page, records },
      account,
      pageOf,
    );
    expect(invoices).toEqual([
      {
        ...{
          id: 10_000_001,
          reference_id: 'outage',
          invoice_type: 'credit_note',
          amount: 0.000005,
        },
        currency: 'USD',
        payment_method: 'balance',
        status: 'completed',
        created_at: '2026-12-02 08:00:00',
        payment_url: null,
        tax: null,
      },
    ]);
  });

  it('has no pages without records', () => {
    const none = { records: [], total: 0, position: 42n };
    expect(presentInvoices({ page: 1, limit: 20 }, none, account, pageOf)).toMatchObject({
      total_pages: 0,
      invoices: [],
    });
  });
});
