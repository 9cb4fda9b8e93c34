import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, MicroUsdDecimal } from '../vocabulary.js';

/** The id of a PaymentIntent of Stripe. */
export const StripePaymentId = z.string().regex(/^pi_[A-Za-z0-9_]{1,190}$/);

/** A payment was credited; a refund or a dispute names the payment only, and not the account. */
export const StripePaymentReceived = defineEvent('StripePaymentReceived', {
  version: 1,
  schema: z.strictObject({
    paymentId: StripePaymentId,
    accountId: AccountId,
    amountMicroUsd: MicroUsdDecimal,
    receivedAt: Instant,
  }),
});
export type StripePaymentReceived = EventOf<typeof StripePaymentReceived>;

export const stripePaymentEvents = [StripePaymentReceived] as const;
