import {
  type CryptoInvoicePage,
  type FoundCryptoInvoice,
} from '#areas/payments/invoices/crypto-invoice.query.js';
import { currencies, toCoins } from '#areas/payments/assets/currency.js';
import { paymentUri } from '#areas/payments/assets/payment-uri.js';
import { type CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { type CryptoInvoiceStatus } from '#events/payments/crypto.vocabulary.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type PageDto, presentPage } from '../pages/page.dto.js';
import {
  type CryptoInvoiceDto,
  type CryptoInvoiceListDto,
  type CryptoInvoiceStatusDto,
  type PaymentStatusDto,
} from './crypto-invoices.dto.js';

type Terms = CryptoInvoiceCreated['data'];

const coinsOf = ({ currency }: Terms, units: string): number =>
  Number(toCoins(currencies[currency], BigInt(units)));

export const uriOf = ({ currency, target, dueUnits }: Terms): string =>
  paymentUri(currencies[currency], target, BigInt(dueUnits));

const fieldsOf = (terms: Terms, status: CryptoInvoiceStatus, page: string) => ({
  success: true as const,
  invoice_id: terms.invoiceId,
  order_id: terms.orderId,
  amount_fiat: toUsd(fromDecimal(terms.amountMicroUsd)),
  fiat_currency: 'USD',
  crypto_amount: coinsOf(terms, terms.dueUnits),
  crypto_amount_units: terms.dueUnits,
  crypto_currency: terms.currency,
  network: terms.network,
  pay_address: terms.target.kind === 'address' ? terms.target.address : terms.target.recipient,
  reference: terms.target.kind === 'reference' ? terms.target.reference : null,
  payment_uri: uriOf(terms),
  payment_url: page,
  qr_code_url: `${page}/qr.png`,
  status,
  expires_at: terms.expiresAt,
});

/** @param page the URL of the payment page */
export const presentCryptoInvoice = (
  terms: Terms,
  status: CryptoInvoiceStatus,
  page: string,
): CryptoInvoiceDto => fieldsOf(terms, status, page);

export const presentCryptoInvoiceStatus = (
  { terms, status, payments, confirmedUnits, creditedMicroUsd, position }: FoundCryptoInvoice,
  page: string,
): CryptoInvoiceStatusDto => ({
  ...fieldsOf(terms, status, page),
  price_usd: toUsd(fromDecimal(terms.priceMicroUsd)),
  confirmations: terms.confirmations,
  paid_amount: coinsOf(terms, confirmedUnits),
  credited_usd: toUsd(fromDecimal(creditedMicroUsd)),
  payments: payments.map(({ txid, output, units, state, isLate, creditMicroUsd, paidAt }) => ({
    txid,
    output,
    amount: coinsOf(terms, units),
    state,
    late: isLate,
    credited_usd: toUsd(fromDecimal(creditMicroUsd)),
    paid_at: paidAt,
  })),
  position: position.toString(),
});

const presentRow = ({
  terms,
  status,
  confirmedUnits,
  creditedMicroUsd,
}: CryptoInvoicePage['invoices'][number]) => ({
  invoice_id: terms.invoiceId,
  created_at: terms.createdAt,
  status,
  amount_fiat: toUsd(fromDecimal(terms.amountMicroUsd)),
  crypto_amount: coinsOf(terms, terms.dueUnits),
  crypto_currency: terms.currency,
  network: terms.network,
  paid_amount: coinsOf(terms, confirmedUnits),
  credited_usd: toUsd(fromDecimal(creditedMicroUsd)),
  expires_at: terms.expiresAt,
});

export const presentCryptoInvoices = (
  query: PageDto,
  found: CryptoInvoicePage,
): CryptoInvoiceListDto => ({
  ...presentPage(query, found),
  invoices: found.invoices.map(presentRow),
});

export const presentPayment = (
  {
    terms,
    status,
    confirmedUnits,
  }: Pick<FoundCryptoInvoice, 'terms' | 'status' | 'confirmedUnits'>,
  nowMs: number,
): PaymentStatusDto => ({
  success: true,
  status,
  due_amount: coinsOf(terms, terms.dueUnits),
  paid_amount: coinsOf(terms, confirmedUnits),
  currency: terms.currency,
  expires_at: terms.expiresAt,
  seconds_left: Math.max(0, Math.ceil((Date.parse(terms.expiresAt) - nowMs) / 1_000)),
});
