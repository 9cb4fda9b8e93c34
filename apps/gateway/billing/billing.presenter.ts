import { type AccountTelemetry } from '#areas/billing/account-overview.handler.js';
import { type InvoicePage } from '#areas/billing/invoices.handler.js';
import { type TaxStatusFound } from '#areas/tax/tax-status.handlers.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type InvoiceRecord } from '#projections/billing/invoices.projection.js';
import { type PageDto } from '../pages/page.dto.js';
import { presentVat } from '../tax/tax.presenter.js';
import { presentTax } from './statement.presenter.js';
import { type BalanceOverviewDto, type InvoiceListDto } from './billing.dto.js';

const HOURS_PER_DAY = 24;

export const presentOverview = (
  account: AccountTelemetry,
  tax: TaxStatusFound,
): BalanceOverviewDto => {
  const burnRate = toUsd(account.chargedInWindow) / account.windowHours;
  const runwayHours = burnRate > 0 ? toUsd(account.available) / burnRate : null;
  return {
    success: true,
    balance_usd: toUsd(account.balance),
    available_usd: toUsd(account.available),
    held_usd: toUsd(account.held),
    adjusted_usd: toUsd(account.adjusted),
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
    tax_status: {
      iso_country: tax.status?.country ?? null,
      tax_exempt: tax.status?.taxExempt ?? null,
      ...presentVat(tax),
    },
    position: account.position.toString(),
  };
};

export const presentInvoices = (
  { page, limit }: PageDto,
  { records, total, position }: InvoicePage,
  account: AccountTelemetry,
  pageOf: (invoiceId: string) => string,
): InvoiceListDto => ({
  success: true,
  balance_usd: toUsd(account.balance),
  page,
  limit,
  total_records: total,
  total_pages: Math.ceil(total / limit),
  invoices: records.map((record) => presentInvoice(record, pageOf)),
  position: position.toString(),
});

/** Adjustments have larger numbers than statements, and reversals larger ones than adjustments. */
const NUMBERS_FROM = {
  credit_note: 10_000_000,
  rerating: 10_000_000,
  refund: 20_000_000,
  chargeback: 20_000_000,
} as const;

/** The number of a statement is a 9 and its month. Deposits have smaller numbers. */
const statementId = (month: string): number => Number(`9${month.replace('-', '')}`);

/** So many digits of the id of a crypto invoice are its number, above all others. */
const CRYPTO_DIGITS = 12;
const CRYPTO_FROM = 2 ** (4 * CRYPTO_DIGITS);

/** A UUID is random in its last digits. */
const cryptoNumber = (invoiceId: string): number =>
  CRYPTO_FROM + Number.parseInt(invoiceId.slice(-CRYPTO_DIGITS), 16);

const presentInvoice = (
  record: InvoiceRecord,
  pageOf: (invoiceId: string) => string,
): InvoiceListDto['invoices'][number] => {
  const shared = {
    amount: toUsd(fromDecimal(record.amount)),
    currency: 'USD',
    created_at: record.createdAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' '),
    payment_url: null,
    tax: null,
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
    case 'usage':
      return {
        ...shared,
        id: statementId(record.month),
        reference_id: `usage-${record.month}`,
        invoice_type: 'usage',
        payment_method: 'balance',
        status: record.isClosed ? 'completed' : 'open',
        tax: record.tax && presentTax(record.tax),
      };
    case 'crypto_invoice':
      return {
        ...shared,
        id: cryptoNumber(record.invoiceId),
        reference_id: record.orderId,
        invoice_type: 'deposit',
        payment_method: record.method,
        status: record.status,
        payment_url: pageOf(record.invoiceId),
      };
    case 'refund':
    case 'chargeback':
    case 'credit_note':
    case 'rerating':
      return {
        ...shared,
        id: NUMBERS_FROM[record.kind] + record.number,
        reference_id: record.reference,
        invoice_type: record.kind,
        payment_method: 'balance',
        status: 'completed',
      };
  }
};
