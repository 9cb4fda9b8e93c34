import { z } from 'zod';
import { StripePaymentId } from '#events/payments/stripe-payment.events.js';
import { AccountId } from '#events/vocabulary.js';
import { reject } from '../payments.errors.js';

/** The entry of a PaymentIntent's metadata that names the account. */
export const ACCOUNT_ENTRY = 'quipu_account';

const MICRO_USD_PER_CENT = 10_000n;

/** The money of an account that an event of Stripe moves, in micro-dollars. */
export type StripeMovement =
  | {
      readonly kind: 'paid';
      readonly paymentId: string;
      readonly accountId: string;
      readonly amount: bigint;
    }
  | {
      readonly kind: 'refund' | 'chargeback';
      readonly paymentId: string;
      /** Of all refunds of the payment, or of its dispute. */
      readonly total: bigint;
    }
  | {
      /** A dispute was won, and the bank has paid again. */
      readonly kind: 'reinstated';
      readonly paymentId: string;
      readonly disputeId: string;
      readonly amount: bigint;
    };

const Cents = z.int().min(0).max(99_999_999_999).transform(BigInt);
const Currency = z.string();

const Payment = z.object({
  id: StripePaymentId,
  amount_received: Cents,
  currency: Currency,
  metadata: z.object({ [ACCOUNT_ENTRY]: AccountId }),
});

const Charge = z.object({
  payment_intent: StripePaymentId,
  amount_refunded: Cents,
  currency: Currency,
});

const Dispute = z.object({
  id: z.string().regex(/^(dp|du)_[A-Za-z0-9_]{1,150}$/),
  payment_intent: StripePaymentId,
  amount: Cents,
  currency: Currency,
});

const Notice = z.object({
  type: z.string(),
  data: z.object({ object: z.looseObject({}) }),
});

const parsed = <Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> => {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = ['data.object', ...(issue?.path ?? [])].join('.');
  return reject('stripe_event_invalid', `${field}: ${issue?.message ?? 'is not as documented'}`);
};

const inMicroUsd = (cents: bigint, currency: string): bigint => {
  if (currency === 'usd') return cents * MICRO_USD_PER_CENT;
  return reject('stripe_event_invalid', `data.object.currency: expected usd, received ${currency}`);
};

/**
 * The movement that an event states; null for an event that moves no money.
 * @throws DomainError naming the field that is not as documented
 */
export const movementIn = (event: unknown): StripeMovement | null => {
  const notice = Notice.safeParse(event);
  if (!notice.success) return reject('stripe_event_invalid', 'expected an event of Stripe');
  const { type, data } = notice.data;
  switch (type) {
    case 'payment_intent.succeeded': {
      const { id, amount_received, currency, metadata } = parsed(Payment, data.object);
      const amount = inMicroUsd(amount_received, currency);
      return { kind: 'paid', paymentId: id, accountId: metadata[ACCOUNT_ENTRY], amount };
    }
    case 'charge.refunded': {
      const { payment_intent, amount_refunded, currency } = parsed(Charge, data.object);
      const total = inMicroUsd(amount_refunded, currency);
      return { kind: 'refund', paymentId: payment_intent, total };
    }
    case 'charge.dispute.funds_withdrawn': {
      const { payment_intent, amount, currency } = parsed(Dispute, data.object);
      const total = inMicroUsd(amount, currency);
      return { kind: 'chargeback', paymentId: payment_intent, total };
    }
    case 'charge.dispute.funds_reinstated': {
      const { id, payment_intent, amount, currency } = parsed(Dispute, data.object);
      const paid = inMicroUsd(amount, currency);
      return { kind: 'reinstated', paymentId: payment_intent, disputeId: id, amount: paid };
    }
    default:
      return null;
  }
};
