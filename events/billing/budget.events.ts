import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, KeyId, MicroUsdDecimal } from '../vocabulary.js';

/** The budgets of an account and of its keys, in the stream of the account. */

/** Null: no limit. */
export const BudgetLimits = z.strictObject({
  /** Of a day in UTC. */
  dayMicroUsd: MicroUsdDecimal.nullable(),
  /** Of a month in UTC. */
  monthMicroUsd: MicroUsdDecimal.nullable(),
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
});
export type BudgetLimits = z.infer<typeof BudgetLimits>;

/** Who set it: only the operator changes a budget of the operator. */
export const BudgetOwner = z.enum(['operator', 'account']);
export type BudgetOwner = z.infer<typeof BudgetOwner>;

/** The account or the key whose spending it limits. */
const ofBudget = { accountId: AccountId, key: KeyId.exactOptional() };

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
    window: z.enum(['day', 'month']),
    /** `YYYY-MM-DD` of a day, `YYYY-MM` of a month. */
    period: z.string().regex(/^\d{4}-\d{2}(-\d{2})?$/),
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
