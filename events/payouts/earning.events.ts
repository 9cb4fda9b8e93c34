import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, SignedMicroUsdDecimal, UserId } from '../vocabulary.js';
import { PartnerId } from '../partners/partner.vocabulary.js';

/** The number of events of the log up to a place, in decimal: the same in every store. */
const LogSize = z.string().regex(/^(0|[1-9]\d{0,18})$/);

/** An hour in UTC, `2026-11-22T10`. */
const Hour = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}$/);

/** Who earns a part of charges: `partner-3`, or `investor-9` for the user 9. */
export const Beneficiary = z.string().regex(/^(partner|investor)-[1-9]\d{0,15}$/);
export type Beneficiary = z.infer<typeof Beneficiary>;

/** The earnings of one partner from one account, or of one investor from one rig, in one hour. */
const amounts = {
  hour: Hour,
  charges: z.int().nonnegative(),
  /** The charges of customers for it. */
  grossMicroUsd: SignedMicroUsdDecimal,
  /** The amount that the beneficiary is owed for it. */
  earnedMicroUsd: SignedMicroUsdDecimal,
};

export const Earning = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('partner'),
    partnerId: PartnerId,
    accountId: AccountId,
    ...amounts,
  }),
  z.strictObject({ kind: z.literal('investor'), investorId: UserId, rig: RigName, ...amounts }),
]);
export type Earning = z.infer<typeof Earning>;

type Of<Kind extends Earning['kind']> = Extract<Earning, { readonly kind: Kind }>;

/** The beneficiary and the source of an earning. */
export type EarningSource =
  | Pick<Of<'partner'>, 'kind' | 'partnerId' | 'accountId'>
  | Pick<Of<'investor'>, 'kind' | 'investorId' | 'rig'>;

export const beneficiaryOf = (source: EarningSource): Beneficiary =>
  source.kind === 'partner' ? `partner-${source.partnerId}` : `investor-${source.investorId}`;

/** The fractions of a micro-dollar that are carried to the next accrual, in 10^-12 of it. */
export const Carry = z.strictObject({
  beneficiary: Beneficiary,
  gross: z.string().regex(/^(0|[1-9]\d{0,11})$/),
  earned: z.string().regex(/^(0|[1-9]\d{0,11})$/),
});
export type Carry = z.infer<typeof Carry>;

/**
 * Divides the charges of a range of the log among partners, investors and the platform. In the
 * stream `earnings-accruals`: each range begins where the one before it ends.
 */
export const EarningsAccrued = defineEvent('EarningsAccrued', {
  version: 1,
  schema: z.strictObject({
    /** The range is behind so many events of the log. */
    after: LogSize,
    /** It ends with the last of so many. */
    through: LogSize,
    /** Every charge in the range, whether someone earns from it or not; corrections are none. */
    charges: z.int().nonnegative(),
    /** The charges less the corrections in the range. */
    chargedMicroUsd: SignedMicroUsdDecimal,
    /** The rest of it after all earnings. */
    platformMicroUsd: SignedMicroUsdDecimal,
    earnings: z.array(Earning),
    /** Of every beneficiary in the earnings, after them. */
    carried: z.array(Carry),
    accruedAt: Instant,
  }),
});
export type EarningsAccrued = EventOf<typeof EarningsAccrued>;

export const earningEvents = [EarningsAccrued] as const;
