import { Map as ImmutableMap } from 'immutable';
import {
  type CryptoInvoiceCreated,
  type CryptoInvoiceEvent,
} from '#events/payments/crypto-invoice.events.js';
import {
  type BlockReference,
  type CryptoInvoiceStatus,
} from '#events/payments/crypto.vocabulary.js';

/** A payment as the events know it. */
export interface KnownPayment {
  readonly txid: string;
  readonly output: number;
  readonly units: bigint;
  /**
   * `waiting`: in no block. `gone`: it vanished before it was confirmed. `reverted`: it vanished
   * after it was.
   */
  readonly place: 'waiting' | 'included' | 'gone' | 'confirmed' | 'reverted';
  readonly block: BlockReference | null;
  readonly paidAt: string;
  readonly isLate: boolean;
  /** The amount that was credited for it; null before it was confirmed. */
  readonly credit: bigint | null;
}

export interface CryptoInvoiceState {
  /** Null: it does not exist. */
  readonly terms: CryptoInvoiceCreated['data'] | null;
  /** By `paymentKey`. */
  readonly payments: ImmutableMap<string, KnownPayment>;
  readonly expired: boolean;
  readonly closed: boolean;
}

export const initialState: CryptoInvoiceState = {
  terms: null,
  payments: ImmutableMap(),
  expired: false,
  closed: false,
};

/** A payment within its network. */
export const paymentKey = ({
  txid,
  output,
}: {
  readonly txid: string;
  readonly output: number;
}): string => `${txid}-${output}`;

type PaymentData = { readonly txid: string; readonly output: number };

const changed = (
  state: CryptoInvoiceState,
  data: PaymentData,
  change: Partial<KnownPayment>,
): CryptoInvoiceState => {
  const key = paymentKey(data);
  const known = state.payments.get(key);
  if (!known) return state;
  return { ...state, payments: state.payments.set(key, { ...known, ...change }) };
};

export const evolve = (
  state: CryptoInvoiceState,
  { type, data }: CryptoInvoiceEvent,
): CryptoInvoiceState => {
  switch (type) {
    case 'CryptoInvoiceCreated':
      return { ...state, terms: data };
    case 'CryptoPaymentDetected': {
      const { txid, output, block, paidAt, isLate } = data;
      const place = block ? 'included' : 'waiting';
      const credit = state.payments.get(paymentKey(data))?.credit ?? null;
      const units = BigInt(data.units);
      const payment = { txid, output, units, place, block, paidAt, isLate, credit } as const;
      return { ...state, payments: state.payments.set(paymentKey(data), payment) };
    }
    case 'CryptoPaymentIncluded':
      return changed(state, data, { place: 'included', block: data.block });
    case 'CryptoPaymentDropped':
      return changed(state, data, { place: data.isWaiting ? 'waiting' : 'gone', block: null });
    case 'CryptoPaymentConfirmed': {
      const before = state.payments.get(paymentKey(data))?.credit ?? 0n;
      const credit = before + BigInt(data.creditMicroUsd);
      return changed(state, data, { place: 'confirmed', block: data.block, credit });
    }
    case 'CryptoPaymentReverted':
      return changed(state, data, { place: 'reverted', block: null });
    case 'CryptoInvoiceExpired':
      return { ...state, expired: true };
    case 'CryptoInvoiceClosed':
      return { ...state, closed: true };
  }
};

const sumOf = (payments: Iterable<KnownPayment>): bigint => {
  let sum = 0n;
  for (const { units } of payments) sum += units;
  return sum;
};

/** The confirmed units in the chain. */
export const confirmedUnits = ({ payments }: CryptoInvoiceState): bigint =>
  sumOf(payments.filter(({ place }) => place === 'confirmed').values());

const confirmedInTime = ({ payments }: CryptoInvoiceState): bigint =>
  sumOf(payments.filter(({ place, isLate }) => place === 'confirmed' && !isLate).values());

/** All credits, also of payments that were reverted. */
export const creditedOf = ({ payments }: CryptoInvoiceState): bigint =>
  payments.reduce((sum, { credit }) => sum + (credit ?? 0n), 0n);

/** Whether a payment is on its way to be confirmed. */
export const hasOpenPayments = ({ payments }: CryptoInvoiceState): boolean =>
  payments.some(({ place }) => place === 'waiting' || place === 'included');

export const statusOf = (state: CryptoInvoiceState): CryptoInvoiceStatus => {
  const { terms, payments, expired } = state;
  if (!terms) return 'pending';
  const [due, tolerance] = [BigInt(terms.dueUnits), BigInt(terms.toleranceUnits)];
  const confirmed = confirmedUnits(state);
  if (confirmedInTime(state) >= due - tolerance) {
    return confirmed > due + tolerance ? 'overpaid' : 'completed';
  }
  if (payments.some(({ place }) => place === 'included')) return 'confirming';
  if (payments.some(({ place }) => place === 'waiting')) return 'detected';
  if (payments.some(({ place, isLate }) => place === 'confirmed' && isLate)) return 'late';
  if (confirmed > 0n) return 'underpaid';
  return expired ? 'expired' : 'pending';
};
