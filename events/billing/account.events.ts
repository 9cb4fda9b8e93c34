import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import {
  CaptureTerms,
  HoldId,
  HoldTerms,
  ProductGroup,
  ReleaseTerms,
  RenewalTerms,
} from '../hold.vocabulary.js';
import { AccountId, Instant, MicroUsdDecimal } from '../vocabulary.js';

export const AccountOpened = defineEvent('AccountOpened', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    currency: z.literal('USD'),
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
    method: z.enum(['opening_credit', 'manual_credit']),
    reason: z.string().max(500),
    depositedAt: Instant,
    /** Deposits less charges less open holds, after this event. */
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type FundsDeposited = EventOf<typeof FundsDeposited>;

export const HoldPlaced = defineEvent('HoldPlaced', {
  version: 1,
  schema: HoldTerms.extend({
    group: ProductGroup,
    /** The price of the lines; the capture is never above it. */
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldPlaced = EventOf<typeof HoldPlaced>;

export const HoldRenewed = defineEvent('HoldRenewed', {
  version: 1,
  schema: RenewalTerms.extend({
    /** By how much the hold grows; "0" for more time only. */
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldRenewed = EventOf<typeof HoldRenewed>;

export const HoldCaptured = defineEvent('HoldCaptured', {
  version: 1,
  schema: CaptureTerms.extend({
    group: ProductGroup,
    rateCardVersion: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    /** The rest of the hold, free again. */
    releasedMicroUsd: MicroUsdDecimal,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldCaptured = EventOf<typeof HoldCaptured>;

export const HoldReleased = defineEvent('HoldReleased', {
  version: 1,
  schema: ReleaseTerms.extend({
    amountMicroUsd: MicroUsdDecimal,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldReleased = EventOf<typeof HoldReleased>;

export const HoldExpired = defineEvent('HoldExpired', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    holdId: HoldId,
    amountMicroUsd: MicroUsdDecimal,
    expiredAt: Instant,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldExpired = EventOf<typeof HoldExpired>;

export type AccountEvent =
  | AccountOpened
  | FundsDeposited
  | HoldPlaced
  | HoldRenewed
  | HoldCaptured
  | HoldReleased
  | HoldExpired;

export const accountEvents = [
  AccountOpened,
  FundsDeposited,
  HoldPlaced,
  HoldRenewed,
  HoldCaptured,
  HoldReleased,
  HoldExpired,
] as const;
