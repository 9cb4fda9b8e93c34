import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, MicroUsdDecimal } from '../vocabulary.js';
import { Beneficiary } from './earning.events.js';

/** The payouts of a beneficiary: one stream `payee-<beneficiary>`. */

/** Every event names its payout, and the payout's place in the lists. */
const ofPayout = {
  beneficiary: Beneficiary,
  payoutId: z.uuid(),
  requestedAt: Instant,
  /** Before tax. */
  amountMicroUsd: MicroUsdDecimal,
};

export const PayoutRequested = defineEvent('PayoutRequested', {
  version: 1,
  schema: z.strictObject({
    ...ofPayout,
    /** The total earnings of the beneficiary. */
    accruedMicroUsd: MicroUsdDecimal,
  }),
});
export type PayoutRequested = EventOf<typeof PayoutRequested>;

/** The tax that is withheld, with the rule that it follows from. */
export const Withholding = z.strictObject({
  /** Of the payee: ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/),
  incomeType: z.enum(['industrial_royalties', 'other_income']),
  /** The payee has a valid claim of the benefits of a tax treaty. */
  treatyClaimed: z.boolean(),
  ratePercent: z.number().min(0).max(100),
  withheldMicroUsd: MicroUsdDecimal,
  article: z.string().min(1).max(500),
  source: z.string().min(1).max(500),
  /** The date of the source. */
  asOf: z.iso.date(),
});
export type Withholding = z.infer<typeof Withholding>;

export const PayoutApproved = defineEvent('PayoutApproved', {
  version: 1,
  schema: z.strictObject({
    ...ofPayout,
    withholding: Withholding,
    /** The amount less the tax. */
    netMicroUsd: MicroUsdDecimal,
    approvedAt: Instant,
  }),
});
export type PayoutApproved = EventOf<typeof PayoutApproved>;

/** The amount can be requested again. */
export const PayoutRejected = defineEvent('PayoutRejected', {
  version: 1,
  schema: z.strictObject({
    ...ofPayout,
    reason: z.string().min(1).max(500),
    rejectedAt: Instant,
  }),
});
export type PayoutRejected = EventOf<typeof PayoutRejected>;

export const PayoutPaid = defineEvent('PayoutPaid', {
  version: 1,
  schema: z.strictObject({
    ...ofPayout,
    withheldMicroUsd: MicroUsdDecimal,
    netMicroUsd: MicroUsdDecimal,
    /** Of the transfer, at the bank. */
    reference: z.string().min(1).max(200),
    paidAt: Instant,
  }),
});
export type PayoutPaid = EventOf<typeof PayoutPaid>;

export type PayoutEvent = PayoutRequested | PayoutApproved | PayoutRejected | PayoutPaid;

export const payoutEvents = [PayoutRequested, PayoutApproved, PayoutRejected, PayoutPaid] as const;
