import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Sealed } from '../identity/identity.vocabulary.js';
import {
  CaptureTerms,
  HoldId,
  HoldOrigin,
  HoldTerms,
  ProductGroup,
  Purpose,
  ReleaseTerms,
  RenewalTerms,
} from '../hold.vocabulary.js';
import {
  AccountId,
  Instant,
  MicroUsdDecimal,
  Month,
  Sha256Hex,
  SignedMicroUsdDecimal,
} from '../vocabulary.js';
import { type AllotmentEvent, allotmentEvents, TreePlace } from './allotment.events.js';
import { type BudgetEvent, budgetEvents } from './budget.events.js';

/**
 * The statement that a movement is on, where the month of its instant was closed before it was
 * recorded. Absent: the month of its instant.
 */
const bookedIn = Month.exactOptional();

export const AccountOpened = defineEvent('AccountOpened', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    currency: z.literal('USD'),
    /** Of a sub-account. Absent: the account is at the top of its tree. */
    tree: TreePlace.exactOptional(),
    openedAt: Instant,
  }),
});
export type AccountOpened = EventOf<typeof AccountOpened>;

export const FundsDeposited = defineEvent('FundsDeposited', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    /** The reference under which the depositor knows it; the same one is credited once. */
    depositId: z.string().min(1).max(200),
    /** 1 for the account's first deposit. */
    depositNumber: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    method: z.enum(['opening_credit', 'manual_credit', 'crypto', 'payment', 'stripe']),
    reason: z.string().max(500),
    depositedAt: Instant,
    /** Deposits less charges less open holds plus adjustments, after this event. */
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn,
  }),
});
export type FundsDeposited = EventOf<typeof FundsDeposited>;

/**
 * A payment went back to the payer. It alone may leave an account overdrawn: the work that the
 * payment bought is done.
 */
export const DepositReversed = defineEvent('DepositReversed', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    /** The deposit that goes back, whole or in part. */
    depositId: z.string().min(1).max(200),
    /** 1 for the account's first reversal. */
    reversalNumber: z.int().positive(),
    kind: z.enum(['refund', 'chargeback']),
    /** Taken from the balance. */
    amountMicroUsd: MicroUsdDecimal,
    /** With earlier reversals of this kind of the deposit. */
    totalMicroUsd: MicroUsdDecimal,
    reason: z.string().max(500),
    reversedAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn,
  }),
});
export type DepositReversed = EventOf<typeof DepositReversed>;

export const HoldPlaced = defineEvent('HoldPlaced', {
  version: 1,
  schema: HoldTerms.extend({
    group: ProductGroup,
    /** The price of the lines; the capture is never above it. */
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: SignedMicroUsdDecimal,
    /** It counts against a limit per minute of the account or its key. */
    paced: z.literal(true).exactOptional(),
  }),
});
export type HoldPlaced = EventOf<typeof HoldPlaced>;

export const HoldRenewed = defineEvent('HoldRenewed', {
  version: 1,
  schema: RenewalTerms.extend({
    /** By how much the hold grows; "0" for more time only. */
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: SignedMicroUsdDecimal,
  }),
});
export type HoldRenewed = EventOf<typeof HoldRenewed>;

export const HoldCaptured = defineEvent('HoldCaptured', {
  version: 1,
  schema: CaptureTerms.extend({
    ...HoldOrigin.shape,
    group: ProductGroup,
    rateCardVersion: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    /** The rest of the hold, free again. */
    releasedMicroUsd: MicroUsdDecimal,
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn,
  }),
});
export type HoldCaptured = EventOf<typeof HoldCaptured>;

export const HoldReleased = defineEvent('HoldReleased', {
  version: 1,
  schema: ReleaseTerms.extend({
    ...HoldOrigin.shape,
    purpose: Purpose,
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: SignedMicroUsdDecimal,
  }),
});
export type HoldReleased = EventOf<typeof HoldReleased>;

export const HoldExpired = defineEvent('HoldExpired', {
  version: 1,
  schema: HoldOrigin.extend({
    accountId: AccountId,
    holdId: HoldId,
    purpose: Purpose,
    amountMicroUsd: MicroUsdDecimal,
    expiredAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
  }),
});
export type HoldExpired = EventOf<typeof HoldExpired>;

/** The charge for one price of a statement, before and after a re-rating. */
const ReratedLine = z.strictObject({
  purpose: z.string().min(1),
  model: z.string().min(1).nullable(),
  meter: z.string().min(1),
  /** Units, as a decimal string: the sum over a month may be above 2^53. */
  quantity: z.string().regex(/^(0|[1-9]\d*)$/),
  from: z.strictObject({ unitPriceMicroUsd: MicroUsdDecimal, perUnits: z.int().positive() }),
  to: z.strictObject({ unitPriceMicroUsd: MicroUsdDecimal, perUnits: z.int().positive() }),
});

/**
 * A correction of earlier charges. It counts in the month in which it is made; the corrected month
 * stays as it is.
 */
export const ChargeAdjusted = defineEvent('ChargeAdjusted', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    /** The reference of the correction; the same one is made once. */
    adjustmentId: z.string().min(1).max(200),
    /** 1 for the account's first adjustment. */
    adjustmentNumber: z.int().positive(),
    kind: z.enum(['credit_note', 'rerating']),
    /** Above zero: given back. Below zero: charged in addition. */
    amountMicroUsd: SignedMicroUsdDecimal,
    refersTo: z.strictObject({
      /** The statement that is corrected. */
      month: Month,
      /** The charge that is corrected; null for one of the whole month. */
      holdId: HoldId.nullable(),
    }),
    /** Null for a credit note. */
    rerating: z
      .strictObject({
        /** The rate card of the log, or null where a file gave the prices. */
        rateCardVersion: z.int().positive().nullable(),
        /** Of the catalog file that the prices are from. */
        sourceSha256: Sha256Hex,
        /** The charges of the month with earlier re-ratings, before and after. */
        fromMicroUsd: MicroUsdDecimal,
        toMicroUsd: MicroUsdDecimal,
        lines: z.array(ReratedLine).max(2_000),
      })
      .nullable(),
    reason: z.string().max(500),
    adjustedAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn,
  }),
});
export type ChargeAdjusted = EventOf<typeof ChargeAdjusted>;

/** The tax that a statement states. The prices include it. */
export const StatementTax = z.strictObject({
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/),
  /** ISO 3166-2 without the country, where the country taxes by state. */
  region: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/)
    .nullable(),
  treatment: z.enum(['taxable', 'exempt', 'reverse_charge', 'outside_scope']),
  kind: z.string().min(1).max(50),
  /** In millionths: 200,000 is 20 %. */
  ratePpm: z.int().min(0).max(1_000_000),
  /** Charges less adjustments of the month, tax included. */
  grossMicroUsd: SignedMicroUsdDecimal,
  taxMicroUsd: SignedMicroUsdDecimal,
  /** The version of the table that the rate is from. */
  source: z.string().min(1).max(200),
});
export type StatementTax = z.infer<typeof StatementTax>;

/** Who sold and who bought, so that the invoice of a closed statement never changes. */
export const StatementParties = z.strictObject({
  /** Null: the operator has not said who sells. */
  seller: z
    .strictObject({
      name: z.string().min(1).max(200),
      address: z.string().min(1).max(500).nullable(),
      taxId: z.string().min(1).max(50).nullable(),
    })
    .nullable(),
  /** The details of the account at that time; null: none were set. */
  sealedCustomer: Sealed.nullable(),
});
export type StatementParties = z.infer<typeof StatementParties>;

/** The statement of a month is final: later movements are on the statement of a later month. */
export const StatementClosed = defineEvent('StatementClosed', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    month: Month,
    /** Deposits less charges plus adjustments before the month, and after it (`closing`). */
    openingMicroUsd: SignedMicroUsdDecimal,
    /** Less the deposits that went back. */
    depositedMicroUsd: SignedMicroUsdDecimal,
    chargedMicroUsd: MicroUsdDecimal,
    adjustedMicroUsd: SignedMicroUsdDecimal,
    closingMicroUsd: SignedMicroUsdDecimal,
    /** Null: no tax status was set when the month was closed. */
    tax: StatementTax.nullable(),
    parties: StatementParties,
    closedAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
  }),
});
export type StatementClosed = EventOf<typeof StatementClosed>;

export type AccountEvent =
  | AccountOpened
  | FundsDeposited
  | DepositReversed
  | HoldPlaced
  | HoldRenewed
  | HoldCaptured
  | HoldReleased
  | HoldExpired
  | ChargeAdjusted
  | StatementClosed
  | BudgetEvent
  | AllotmentEvent;

export const accountEvents = [
  AccountOpened,
  FundsDeposited,
  DepositReversed,
  HoldPlaced,
  HoldRenewed,
  HoldCaptured,
  HoldReleased,
  HoldExpired,
  ChargeAdjusted,
  StatementClosed,
  ...budgetEvents,
  ...allotmentEvents,
] as const;
