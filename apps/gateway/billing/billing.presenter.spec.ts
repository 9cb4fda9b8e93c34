import { describe, expect, it } from '@jest/globals';
import { type AccountTelemetry } from '#areas/billing/account-overview.handler.js';
import { presentInvoices, presentOverview } from './billing.presenter.js';

const account: AccountTelemetry = {
  balance: 9_700_000n,
  available: 9_600_000n,
  held: 100_000n,
  openHolds: 2,
  deposited: 10_000_000n,
  chargedInference: 300_000n,
  chargedCompute: 0n,
  chargedInWindow: 240_000n,
  windowHours: 24,
  position: 42n,
};

describe('the overview of an account', () => {
  it('is in dollars, with the spending rate', () => {
    expect(presentOverview(account)).toEqual({
      success: true,
      balance_usd: 9.7,
      available_usd: 9.6,
      held_usd: 0.1,
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
      tax_status: { iso_country: null, tax_exempt: null, vat_rate_pct: null },
      position: '42',
    });
  });

  it('shows the cost of compute without inference', () => {
    const rented = { ...account, chargedCompute: 2_000_000n };
    expect(presentOverview(rented).telemetry).toMatchObject({
      total_compute_spend: 2,
      total_inference_spend: 0.3,
    });
  });

  it('has no runway without spending', () => {
    expect(presentOverview({ ...account, chargedInWindow: 0n }).telemetry).toMatchObject({
      burn_rate_per_hour: 0,
      runway_hours: null,
      runway_days: null,
    });
  });

  it('has a runway of zero without funds', () => {
    expect(presentOverview({ ...account, available: 0n }).telemetry.runway_hours).toBe(0);
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
      },
    ],
    total: 41,
    position: 42n,
  } as const;

  it('shows deposits and statements in one shape', () => {
    const now = Date.parse('2026-11-30T23:59:59.999Z');
    expect(presentInvoices({ page: 2, limit: 20 }, page, account, now)).toEqual({
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
        },
      ],
      position: '42',
    });
  });

  it('closes the statement of a month when the month is over', () => {
    const now = Date.parse('2026-12-01T00:00:00.000Z');
    const [, statement] = presentInvoices({ page: 1, limit: 20 }, page, account, now).invoices;
    expect(statement).toMatchObject({ status: 'completed' });
  });

  it('has no pages without records', () => {
    const none = { records: [], total: 0, position: 42n };
    expect(presentInvoices({ page: 1, limit: 20 }, none, account, 0)).toMatchObject({
      total_pages: 0,
      invoices: [],
    });
  });
});
