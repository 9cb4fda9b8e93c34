import { type AccountTelemetry } from '#areas/billing/account-overview.handler.js';
import { type InvoicePage } from '#areas/billing/invoices.handler.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type InvoiceRecord } from '#projections/billing/invoices.projection.js';
import {
  type BalanceOverviewDto,
  type InvoiceListDto,
  type InvoicesPageDto,
} from './billing.dto.js';

const HOURS_PER_DAY = 24;

export const presentOverview = (account: AccountTelemetry): BalanceOverviewDto => {
  const burnRate = toUsd(account.chargedInWindow) / account.windowHours;
  const runwayHours = burnRate > 0 ? toUsd(account.available) / burnRate : null;
  return {
    success: true,
    balance_usd: toUsd(account.balance),
    available_usd: toUsd(account.available),
    held_usd: toUsd(account.held),
    currency: 'USD',
    telemetry: {
      burn_rate_per_hour: burnRate,
      runway_hours: runwayHours,
      runway_days: runwayHours === null ? null : runwayHours / HOURS_PER_DAY,
      active_compute_jobs: account.openHolds,
      total_compute_spend: toUsd(account.chargedCompute),
      total_inference_spend: toUsd(account.chargedInference),
      lifetime_deposited: toUsd(account.deposited),
    },
    tax_status: { iso_country: null, tax_exempt: null, vat_rate_pct: null },
    position: account.position.toString(),
  };
};

export const presentInvoices = (
  { page, limit }: InvoicesPageDto,
  { records, total, position }: InvoicePage,
  account: AccountTelemetry,
  nowMs: number,
): InvoiceListDto => ({
  success: true,
  balance_usd: toUsd(account.balance),
  page,
  limit,
  total_records: total,
  total_pages: Math.ceil(total / limit),
  invoices: records.map((record) => presentInvoice(record, nowMs)),
  position: position.toString(),
});

/** The number of a statement is a 9 and its month. Deposits have smaller numbers. */
const statementId = (month: string): number => Number(`9${month.replace('-', '')}`);

const presentInvoice = (
  record: InvoiceRecord,
  nowMs: number,
): InvoiceListDto['invoices'][number] => {
  const shared = {
    amount: toUsd(fromDecimal(record.amount)),
    currency: 'USD',
    created_at: record.createdAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' '),
    payment_url: null,
  };
  switch (record.kind) {
    case 'deposit':
      return {
        ...shared,
        id: record.number,
        reference_id: record.reference,
        invoice_type: 'deposit',
        payment_method: record.method,
        status: 'completed',
      };
    case 'usage': {
      const current = new Date(nowMs).toISOString().startsWith(record.month);
      return {
        ...shared,
        id: statementId(record.month),
        reference_id: `usage-${record.month}`,
        invoice_type: 'usage',
        payment_method: 'balance',
        status: current ? 'open' : 'completed',
      };
    }
  }
};
