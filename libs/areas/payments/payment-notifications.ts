import {
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import { defineNotification } from '#platform/runtime/notification.js';

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
    on: { CryptoPaymentDetected },
    account: accountOf,
    body: paymentOf,
  }),
  defineNotification<CryptoPaymentConfirmed>({
    type: 'invoice.payment_confirmed',
    on: { CryptoPaymentConfirmed },
    account: accountOf,
    body: creditOf,
  }),
  defineNotification<CryptoPaymentConfirmed>({
    type: 'invoice.completed',
    on: { CryptoPaymentConfirmed },
    account: (event) => (isPaid(event) ? event.data.accountId : null),
    body: creditOf,
  }),
  defineNotification<CryptoPaymentReverted>({
    type: 'invoice.payment_reverted',
    on: { CryptoPaymentReverted },
    account: accountOf,
    body: paymentOf,
  }),
  defineNotification<CryptoInvoiceExpired>({
    type: 'invoice.expired',
    on: { CryptoInvoiceExpired },
    account: accountOf,
    body: ({ data: { invoiceId, status, confirmedUnits } }) => ({
      invoice_id: invoiceId,
      status,
      confirmed_units: confirmedUnits,
    }),
  }),
];
