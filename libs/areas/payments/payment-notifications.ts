import { z } from 'zod';
import {
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import { defineNotification } from '#platform/runtime/areas/notification.js';

const status = z.string().describe('The status of the invoice now.');

const PaymentBody = z.strictObject({
  invoice_id: z.string(),
  status,
  network: z.string(),
  txid: z.string(),
  output: z.int().describe('The output, log or instruction of the transaction that pays.'),
});

const CreditBody = PaymentBody.extend({
  currency: z.string(),
  units: z.string().describe('Smallest units of the currency, as a decimal.'),
  credit_micro_usd: z.string().describe('The credit of this payment in micro-dollars.'),
  credited_micro_usd: z.string().describe('The credit of the invoice so far in micro-dollars.'),
});

type Payment = CryptoPaymentDetected | CryptoPaymentConfirmed | CryptoPaymentReverted;

const paymentOf = ({ data }: Payment): object => ({
  invoice_id: data.invoiceId,
  status: data.status,
  network: data.network,
  txid: data.txid,
  output: data.output,
});

const accountOf = ({ data }: { readonly data: { readonly accountId: string } }): string =>
  data.accountId;

const isPaid = ({ data: { status } }: CryptoPaymentConfirmed): boolean =>
  status === 'completed' || status === 'overpaid';

/** Amounts are decimal strings: micro-dollars, and units of the currency. */
const creditOf = (event: CryptoPaymentConfirmed): object => ({
  ...paymentOf(event),
  currency: event.data.currency,
  units: event.data.units,
  credit_micro_usd: event.data.creditMicroUsd,
  credited_micro_usd: event.data.creditedMicroUsd,
});

export const paymentNotifications = [
  defineNotification<CryptoPaymentDetected>({
    type: 'invoice.payment_detected',
    description: 'A payment was seen, and is not yet confirmed.',
    schema: PaymentBody,
    on: { CryptoPaymentDetected },
    account: accountOf,
    body: paymentOf,
  }),
  defineNotification<CryptoPaymentConfirmed>({
    type: 'invoice.payment_confirmed',
    description: 'A payment has its confirmations and was credited.',
    schema: CreditBody,
    on: { CryptoPaymentConfirmed },
    account: accountOf,
    body: creditOf,
  }),
  defineNotification<CryptoPaymentConfirmed>({
    type: 'invoice.completed',
    description: 'The payments cover the amount of the invoice.',
    schema: CreditBody,
    on: { CryptoPaymentConfirmed },
    account: (event) => (isPaid(event) ? event.data.accountId : null),
    body: creditOf,
  }),
  defineNotification<CryptoPaymentReverted>({
    type: 'invoice.payment_reverted',
    description: 'The chain dropped a payment that was seen before.',
    schema: PaymentBody,
    on: { CryptoPaymentReverted },
    account: accountOf,
    body: paymentOf,
  }),
  defineNotification<CryptoInvoiceExpired>({
    type: 'invoice.expired',
    description: 'The invoice expired before it was paid in full.',
    schema: z.strictObject({ invoice_id: z.string(), status, confirmed_units: z.string() }),
    on: { CryptoInvoiceExpired },
    account: accountOf,
    body: ({ data: { invoiceId, status, confirmedUnits } }) => ({
      invoice_id: invoiceId,
      status,
      confirmed_units: confirmedUnits,
    }),
  }),
];
