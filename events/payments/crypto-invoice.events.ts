import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, MicroUsdDecimal } from '../vocabulary.js';
import {
  BlockReference,
  ChildIndex,
  CryptoCurrency,
  CryptoInvoiceStatus,
  CryptoNetwork,
  CryptoUnits,
  KeyFingerprint,
  TransactionId,
  TransactionOutput,
} from './crypto.vocabulary.js';

/** An invoice for a deposit in a crypto-currency: one stream `cryptoinvoice-<id>`. */

/** The quote of one source of prices. */
export const PriceQuote = z.strictObject({
  source: z.string().min(1).max(100),
  /** Of a whole coin. */
  priceMicroUsd: MicroUsdDecimal,
  /** When the price was so, as the source says; otherwise when it was read. */
  quotedAt: Instant,
});
export type PriceQuote = z.infer<typeof PriceQuote>;

/** Where the payment goes, and how it is recognised. */
export const PaymentTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('address'),
    address: z.string().min(1).max(120),
    fingerprint: KeyFingerprint,
    index: ChildIndex,
  }),
  z.strictObject({
    kind: z.literal('reference'),
    /** The account of the operator; the same one for every invoice. */
    recipient: z.string().min(32).max(44),
    /** A fresh public key that the transfer names. */
    reference: z.string().min(32).max(44),
  }),
]);
export type PaymentTarget = z.infer<typeof PaymentTarget>;

export const CryptoInvoiceCreated = defineEvent('CryptoInvoiceCreated', {
  version: 1,
  schema: z.strictObject({
    invoiceId: z.uuid(),
    accountId: AccountId,
    orderId: z.string().min(1).max(100),
    currency: CryptoCurrency,
    network: CryptoNetwork,
    /** The worth of the payment to the account. */
    amountMicroUsd: MicroUsdDecimal,
    /** The units to be paid. */
    dueUnits: CryptoUnits,
    /** A payment may miss the amount due by so much and still complete the invoice. */
    toleranceUnits: CryptoUnits,
    /** The median of the quotes, of a whole coin. */
    priceMicroUsd: MicroUsdDecimal,
    quotes: z.array(PriceQuote).min(1),
    target: PaymentTarget,
    confirmations: z.int().min(0),
    returnUrl: z.url().max(2_048).nullable(),
    createdAt: Instant,
    /** The price is valid until then. */
    expiresAt: Instant,
    /** The chain is watched until then; longer while a payment is unconfirmed. */
    watchUntil: Instant,
  }),
});
export type CryptoInvoiceCreated = EventOf<typeof CryptoInvoiceCreated>;

const invoice = {
  invoiceId: z.uuid(),
  accountId: AccountId,
  /** Of the invoice. */
  createdAt: Instant,
  /** Of the invoice, after the event. */
  status: CryptoInvoiceStatus,
};

const payment = {
  ...invoice,
  network: CryptoNetwork,
  txid: TransactionId,
  output: TransactionOutput,
};

/** A payment was seen: for the first time, or again after it had vanished. */
export const CryptoPaymentDetected = defineEvent('CryptoPaymentDetected', {
  version: 1,
  schema: z.strictObject({
    ...payment,
    units: CryptoUnits,
    /** Null while it is in no block. */
    block: BlockReference.nullable(),
    /** When it was first seen, or its block was made, whichever came first. */
    paidAt: Instant,
    /** Whether the invoice had expired by then. */
    isLate: z.boolean(),
    detectedAt: Instant,
  }),
});
export type CryptoPaymentDetected = EventOf<typeof CryptoPaymentDetected>;

/** A block includes the payment, for the first time or instead of another block. */
export const CryptoPaymentIncluded = defineEvent('CryptoPaymentIncluded', {
  version: 1,
  schema: z.strictObject({ ...payment, block: BlockReference, includedAt: Instant }),
});
export type CryptoPaymentIncluded = EventOf<typeof CryptoPaymentIncluded>;

/** An unconfirmed payment lost its block, or vanished. */
export const CryptoPaymentDropped = defineEvent('CryptoPaymentDropped', {
  version: 1,
  schema: z.strictObject({
    ...payment,
    /** Whether it waits for a block again. */
    isWaiting: z.boolean(),
    droppedAt: Instant,
  }),
});
export type CryptoPaymentDropped = EventOf<typeof CryptoPaymentDropped>;

/** The payment has the confirmations that the invoice demands, and is worth this much. */
export const CryptoPaymentConfirmed = defineEvent('CryptoPaymentConfirmed', {
  version: 1,
  schema: z.strictObject({
    ...payment,
    currency: CryptoCurrency,
    units: CryptoUnits,
    confirmations: z.int().min(0),
    block: BlockReference,
    /**
     * The price it is credited at: the price of the invoice, or the present one if it came late.
     */
    priceMicroUsd: MicroUsdDecimal,
    /** "0" for a payment that was credited before. */
    creditMicroUsd: MicroUsdDecimal,
    /** All confirmed payments together. */
    confirmedUnits: CryptoUnits,
    creditedMicroUsd: MicroUsdDecimal,
    confirmedAt: Instant,
  }),
});
export type CryptoPaymentConfirmed = EventOf<typeof CryptoPaymentConfirmed>;

/** A confirmed payment is no longer in the chain. The operator decides about its credit. */
export const CryptoPaymentReverted = defineEvent('CryptoPaymentReverted', {
  version: 1,
  schema: z.strictObject({
    ...payment,
    /** The amount that was credited for it, and still is. */
    creditedMicroUsd: MicroUsdDecimal,
    revertedAt: Instant,
  }),
});
export type CryptoPaymentReverted = EventOf<typeof CryptoPaymentReverted>;

/** The price is no longer valid, and the confirmed payments do not cover the amount. */
export const CryptoInvoiceExpired = defineEvent('CryptoInvoiceExpired', {
  version: 1,
  schema: z.strictObject({
    ...invoice,
    confirmedUnits: CryptoUnits,
    expiredAt: Instant,
  }),
});
export type CryptoInvoiceExpired = EventOf<typeof CryptoInvoiceExpired>;

/** The chain is no longer watched for this invoice. */
export const CryptoInvoiceClosed = defineEvent('CryptoInvoiceClosed', {
  version: 1,
  schema: z.strictObject({ ...invoice, closedAt: Instant }),
});
export type CryptoInvoiceClosed = EventOf<typeof CryptoInvoiceClosed>;

export type CryptoInvoiceEvent =
  | CryptoInvoiceCreated
  | CryptoPaymentDetected
  | CryptoPaymentIncluded
  | CryptoPaymentDropped
  | CryptoPaymentConfirmed
  | CryptoPaymentReverted
  | CryptoInvoiceExpired
  | CryptoInvoiceClosed;

export const cryptoInvoiceEvents = [
  CryptoInvoiceCreated,
  CryptoPaymentDetected,
  CryptoPaymentIncluded,
  CryptoPaymentDropped,
  CryptoPaymentConfirmed,
  CryptoPaymentReverted,
  CryptoInvoiceExpired,
  CryptoInvoiceClosed,
] as const;
