import { BudgetThresholdReached } from '#events/billing/budget.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { defineNotification } from '#platform/runtime/notification.js';

/** Tells the owner of an account how far a budget is spent. */
export const budgetThresholdReached = defineNotification<BudgetThresholdReached>({
  type: 'budget.threshold_reached',
  on: { BudgetThresholdReached },
  account: ({ data }) => data.accountId,
  body: ({ data }) => ({
    scope: data.key === undefined ? 'account' : 'key',
    /** The id of the first key of its line. */
    key_id: data.key ?? null,
    window: data.window,
    period: data.period,
    percent: data.percent,
    limit_usd: toUsd(fromDecimal(data.limitMicroUsd)),
    charged_usd: toUsd(fromDecimal(data.chargedMicroUsd)),
    reached_at: data.reachedAt,
  }),
});
