import { StripePaymentReceived } from '#events/payments/stripe-payment.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface ReceivePayment {
  readonly type: 'ReceivePayment';
  readonly data: StripePaymentReceived['data'];
}

/** The account that was credited; null: the payment is not known. */
export interface StripePaymentState {
  readonly accountId: string | null;
}

/** One payment of Stripe. */
export const stripePaymentDecider: Decider<
  ReceivePayment,
  StripePaymentState,
  StripePaymentReceived
> = {
  initialState: { accountId: null },
  decide: ({ data }, { accountId }) => (accountId === null ? [StripePaymentReceived.of(data)] : []),
  evolve: (_state, { data }) => ({ accountId: data.accountId }),
};
