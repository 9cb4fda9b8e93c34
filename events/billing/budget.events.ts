import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Tag } from '../hold.vocabulary.js';
import { AccountId, Instant, KeyedHash, KeyId, MicroUsdDecimal } from '../vocabulary.js';

/** The budgets of an account and of parts of its spending, in the stream of the account. */

/** Null: no limit. */
export const BudgetLimits = z.strictObject({
  /** Of a day in UTC. */
  dayMicroUsd: MicroUsdDecimal.nullable(),
  /** Of a week from Monday to Sunday in UTC. */
  weekMicroUsd: MicroUsdDecimal.nullable(),
  /** Of a month in UTC. */
  monthMicroUsd: MicroUsdDecimal.nullable(),
  /** Of all time since it was first set. */
  totalMicroUsd: MicroUsdDecimal.nullable(),
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
});
export type BudgetLimits = z.infer<typeof BudgetLimits>;

export const BudgetWindow = z.enum(['day', 'week', 'month', 'total']);
export type BudgetWindow = z.infer<typeof BudgetWindow>;

/**
 * Who set it: one of the operator is changed by the operator only, and one of the account above by
 * that account or the operator.
 */
export const BudgetOwner = z.enum(['account', 'parent', 'operator']);
export type BudgetOwner = z.infer<typeof BudgetOwner>;

/** The spending that it limits: of the whole account, or of one key, end user or tag. */
const ofBudget = {
  accountId: AccountId,
  key: KeyId.exactOptional(),
  endUser: KeyedHash.exactOptional(),
  tag: Tag.exactOptional(),
};

export const BudgetSet = defineEvent('BudgetSet', {
  version: 1,
  schema: z.strictObject({
    ...ofBudget,
    owner: BudgetOwner,
    limits: BudgetLimits,
    /** Ascending: a charge that reaches one of them is reported. */
    alertPercents: z.array(z.int().min(1).max(100)).max(10),
    setAt: Instant,
  }),
});
export type BudgetSet = EventOf<typeof BudgetSet>;

export const BudgetRemoved = defineEvent('BudgetRemoved', {
  version: 1,
  schema: z.strictObject({ ...ofBudget, removedAt: Instant }),
});
export type BudgetRemoved = EventOf<typeof BudgetRemoved>;

export const BudgetThresholdReached = defineEvent('BudgetThresholdReached', {
  version: 1,
  schema: z.strictObject({
    ...ofBudget,
    window: BudgetWindow,
    /** `YYYY-MM-DD` of a day, `YYYY-Www` of a week (ISO 8601), `YYYY-MM` of a month, or `total`. */
    period: z.string().regex(/^(\d{4}-(\d{2}(-\d{2})?|W\d{2})|total)$/),
    percent: z.int().min(1).max(100),
    limitMicroUsd: MicroUsdDecimal,
    /** Without the open holds. */
    chargedMicroUsd: MicroUsdDecimal,
    reachedAt: Instant,
  }),
});
export type BudgetThresholdReached = EventOf<typeof BudgetThresholdReached>;

export type BudgetEvent = BudgetSet | BudgetRemoved | BudgetThresholdReached;

export const budgetEvents = [BudgetSet, BudgetRemoved, BudgetThresholdReached] as const;
