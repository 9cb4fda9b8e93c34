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
import { type CryptoInvoiceStatus } from '#events/payments/crypto.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A payment that the chain shows or showed. */
export interface CryptoPaymentRecord {
  readonly txid: string;
  readonly output: number;
  readonly units: string;
  readonly state: 'detected' | 'confirming' | 'dropped' | 'confirmed' | 'reverted';
  readonly isLate: boolean;
  readonly creditMicroUsd: string;
  readonly paidAt: string;
}

export interface CryptoInvoiceDocument {
  /** Null before its first event. */
  readonly terms: CryptoInvoiceCreated['data'] | null;
  readonly status: CryptoInvoiceStatus;
  /** In the order in which they were first seen. */
  readonly payments: readonly CryptoPaymentRecord[];
  readonly confirmedUnits: string;
  readonly creditedMicroUsd: string;
}

const isPayment =
  ({ txid, output }: { readonly txid: string; readonly output: number }) =>
  (one: CryptoPaymentRecord): boolean =>
    one.txid === txid && one.output === output;

const changed = (
  document: CryptoInvoiceDocument,
  data: { readonly txid: string; readonly output: number; readonly status: CryptoInvoiceStatus },
  change: Partial<CryptoPaymentRecord>,
): CryptoInvoiceDocument => ({
  ...document,
  status: data.status,
  payments: document.payments.map((one) => (isPayment(data)(one) ? { ...one, ...change } : one)),
});

const detected = (
  document: CryptoInvoiceDocument,
  { data }: CryptoPaymentDetected,
): CryptoInvoiceDocument => {
  const { txid, output, units, isLate, paidAt, block } = data;
  const state = block ? 'confirming' : 'detected';
  const known = document.payments.some(isPayment(data));
  if (known) return changed(document, data, { state, units, isLate, paidAt });
  const payment = { txid, output, units, state, isLate, creditMicroUsd: '0', paidAt } as const;
  return { ...document, status: data.status, payments: [...document.payments, payment] };
};

const confirmed = (
  document: CryptoInvoiceDocument,
  { data }: CryptoPaymentConfirmed,
): CryptoInvoiceDocument => {
  const { confirmedUnits, creditedMicroUsd, creditMicroUsd } = data;
  const credit = creditMicroUsd === '0' ? {} : { creditMicroUsd };
  const next = changed(document, data, { state: 'confirmed', ...credit });
  return { ...next, confirmedUnits, creditedMicroUsd };
};

const project = (
  event: CryptoInvoiceEvent,
  document: CryptoInvoiceDocument,
): CryptoInvoiceDocument => {
  const { type, data } = event;
  switch (type) {
    case 'CryptoInvoiceCreated':
      return { ...document, terms: data };
    case 'CryptoPaymentDetected':
      return detected(document, event);
    case 'CryptoPaymentIncluded':
      return changed(document, data, { state: 'confirming' });
    case 'CryptoPaymentDropped':
      return changed(document, data, { state: data.isWaiting ? 'detected' : 'dropped' });
    case 'CryptoPaymentConfirmed':
      return confirmed(document, event);
    case 'CryptoPaymentReverted':
      return changed(document, data, { state: 'reverted' });
    case 'CryptoInvoiceExpired':
    case 'CryptoInvoiceClosed':
      return { ...document, status: data.status };
  }
};

/** The later invoices of an account are behind its earlier ones. */
export const accountInvoices = (accountId: string): string => `${accountId}/`;

/** What is due on a crypto invoice, what was paid, and how does it stand? */
export const cryptoInvoices: Projection<CryptoInvoiceEvent, CryptoInvoiceDocument> = {
  name: 'crypto-invoices',
  version: 2,
  on: {
    CryptoInvoiceCreated,
    CryptoPaymentDetected,
    CryptoPaymentIncluded,
    CryptoPaymentDropped,
    CryptoPaymentConfirmed,
    CryptoPaymentReverted,
    CryptoInvoiceExpired,
    CryptoInvoiceClosed,
  },
  // By its id, and in the list of its account.
  keys: ({ data: { invoiceId, accountId, createdAt } }) => [
    invoiceId,
    `${accountInvoices(accountId)}${createdAt}/${invoiceId}`,
  ],
  initial: () => ({
    terms: null,
    status: 'pending',
    payments: [],
    confirmedUnits: '0',
    creditedMicroUsd: '0',
  }),
  project,
};
