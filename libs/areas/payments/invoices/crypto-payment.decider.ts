import { CryptoPaymentClaimed } from '#events/payments/crypto-payment.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface ClaimPayment {
  readonly type: 'ClaimPayment';
  readonly data: CryptoPaymentClaimed['data'];
}

export interface CryptoPaymentState {
  /** The invoice that the payment belongs to; null for none so far. */
  readonly invoiceId: string | null;
}

/**
 * A payment belongs to the first invoice that claims it. A transfer on Solana may name the
 * references of two invoices, and pays one of them.
 */
export const cryptoPaymentDecider: Decider<ClaimPayment, CryptoPaymentState, CryptoPaymentClaimed> =
  {
    initialState: { invoiceId: null },
    decide: ({ data }, { invoiceId }) =>
      invoiceId === null ? [CryptoPaymentClaimed.of(data)] : [],
    evolve: (state, { data }) => (state.invoiceId === null ? { invoiceId: data.invoiceId } : state),
  };
