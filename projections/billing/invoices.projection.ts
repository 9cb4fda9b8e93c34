import {
  ChargeAdjusted,
  DepositReversed,
  FundsDeposited,
  HoldCaptured,
  StatementClosed,
  type StatementTax,
} from '#events/billing/account.events.js';
import { startOfMonth, statementMonthOf } from '#events/billing/statement-month.js';
import {
  CryptoInvoiceClosed,
  CryptoInvoiceCreated,
  type CryptoInvoiceEvent,
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentDropped,
  CryptoPaymentIncluded,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import {
  type CryptoCurrency,
  type CryptoInvoiceStatus,
} from '#events/payments/crypto.vocabulary.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { minus, plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Money as decimal micro-dollars, instants as ISO 8601. */
export type InvoiceRecord =
  | {
      readonly kind: 'deposit';
      readonly number: number;
      readonly reference: string;
      readonly amount: string;
      readonly method: string;
      readonly createdAt: string;
    }
  | UsageRecord
  | CryptoRecord
  | {
      /** A deposit that went back is a refund or a chargeback, below zero. */
      readonly kind: 'refund' | 'chargeback' | 'credit_note' | 'rerating';
      readonly number: number;
      readonly reference: string;
      /** Above zero: given back. Below zero: charged in addition. */
      readonly amount: string;
      readonly createdAt: string;
    };

/** A crypto invoice that is not paid in full: what is paid are deposits. */
interface CryptoRecord {
  readonly kind: 'crypto_invoice';
  readonly invoiceId: string;
  readonly orderId: string;
  readonly amount: string;
  readonly method: CryptoCurrency;
  readonly status: CryptoInvoiceStatus;
  readonly createdAt: string;
}

/** The charges on the statement of a month. */
interface UsageRecord {
  readonly kind: 'usage';
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly amount: string;
  readonly charges: number;
  /** The first instant of the month. */
  readonly createdAt: string;
  readonly isClosed: boolean;
  /** Decided when the statement is closed; null before, and without a tax status. */
  readonly tax: StatementTax | null;
}

type BillingEvent =
  FundsDeposited | DepositReversed | HoldCaptured | ChargeAdjusted | StatementClosed;
type InvoiceEvent = BillingEvent | CryptoInvoiceEvent;

const cryptoEvents = {
  CryptoInvoiceCreated,
  CryptoPaymentDetected,
  CryptoPaymentIncluded,
  CryptoPaymentDropped,
  CryptoPaymentConfirmed,
  CryptoPaymentReverted,
  CryptoInvoiceExpired,
  CryptoInvoiceClosed,
};

const isCrypto = (event: InvoiceEvent): event is CryptoInvoiceEvent => event.type in cryptoEvents;

const usageKey = (accountId: string, month: string): string =>
  `${accountId}/${startOfMonth(month)}/usage-${month}`;

const key = (event: InvoiceEvent): string => {
  if (isCrypto(event)) {
    const { accountId, createdAt, invoiceId } = event.data;
    return `${accountId}/${createdAt}/crypto-${invoiceId}`;
  }
  const { type, data } = event;
  switch (type) {
    case 'FundsDeposited':
      return `${data.accountId}/${data.depositedAt}/deposit-${data.depositNumber}`;
    case 'DepositReversed':
      return `${data.accountId}/${data.reversedAt}/reversal-${data.reversalNumber}`;
    case 'HoldCaptured':
      return usageKey(data.accountId, statementMonthOf(event));
    case 'ChargeAdjusted':
      return `${data.accountId}/${data.adjustedAt}/adjustment-${data.adjustmentNumber}`;
    case 'StatementClosed':
      return usageKey(data.accountId, data.month);
  }
};

const NO_USAGE: UsageRecord = {
  kind: 'usage',
  month: '',
  amount: '0',
  charges: 0,
  createdAt: '',
  isClosed: false,
  tax: null,
};

const usageIn = (before: InvoiceRecord): UsageRecord =>
  before.kind === 'usage' ? before : NO_USAGE;

const keysOfUsage = keepingLatest((accountId, month: string) => [usageKey(accountId, month)]);

/** Its payments are deposits in the list, with their amounts. */
const PAID: ReadonlySet<CryptoInvoiceStatus> = new Set(['completed', 'overpaid', 'late']);

const projectCrypto = (event: CryptoInvoiceEvent, before: InvoiceRecord): CryptoRecord | null => {
  if (event.type === 'CryptoInvoiceCreated') {
    const { invoiceId, orderId, amountMicroUsd: amount, currency, createdAt } = event.data;
    const terms = { invoiceId, orderId, amount, method: currency, createdAt } as const;
    return { kind: 'crypto_invoice', ...terms, status: 'pending' };
  }
  const { status } = event.data;
  if (before.kind !== 'crypto_invoice' || PAID.has(status)) return null;
  return { ...before, status };
};

const project = (event: InvoiceEvent, before: InvoiceRecord): InvoiceRecord | null => {
  if (isCrypto(event)) return projectCrypto(event, before);
  const { type, data } = event;
  switch (type) {
    case 'FundsDeposited':
      return {
        kind: 'deposit',
        number: data.depositNumber,
        reference: data.depositId,
        amount: data.amountMicroUsd,
        method: data.method,
        createdAt: data.depositedAt,
      };
    case 'DepositReversed':
      return {
        kind: data.kind,
        number: data.reversalNumber,
        reference: data.depositId,
        amount: minus('0', data.amountMicroUsd),
        createdAt: data.reversedAt,
      };
    case 'HoldCaptured': {
      const { amount, charges, isClosed, tax } = usageIn(before);
      const month = statementMonthOf(event);
      return {
        kind: 'usage',
        month,
        amount: plus(amount, data.amountMicroUsd),
        charges: charges + 1,
        createdAt: startOfMonth(month),
        isClosed,
        tax,
      };
    }
    case 'ChargeAdjusted':
      return {
        kind: data.kind,
        number: data.adjustmentNumber,
        reference: data.adjustmentId,
        amount: data.amountMicroUsd,
        createdAt: data.adjustedAt,
      };
    case 'StatementClosed': {
      const { month, tax } = data;
      const createdAt = startOfMonth(month);
      return { ...usageIn(before), month, createdAt, isClosed: true, tax };
    }
  }
};

/**
 * What was paid in or is to be paid, what did each month's usage come to, and what was corrected?
 * Keys of an account order by time.
 */
export const invoices: Projection<InvoiceEvent, InvoiceRecord> = {
  name: 'invoices',
  version: 1,
  on: {
    FundsDeposited,
    DepositReversed,
    HoldCaptured,
    ChargeAdjusted,
    StatementClosed,
    ...cryptoEvents,
  },
  keys: (event) =>
    event.type === 'HoldCaptured'
      ? keysOfUsage(event.data.accountId, statementMonthOf(event))
      : [key(event)],
  initial: () => NO_USAGE,
  project,
};
