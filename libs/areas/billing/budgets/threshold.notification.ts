import { z } from 'zod';
import { BudgetThresholdReached } from '#events/billing/budget.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { defineNotification } from '#platform/runtime/areas/notification.js';

/** Tells the owner of an account how far a budget is spent. */
export const budgetThresholdReached = defineNotification<BudgetThresholdReached>({
  type: 'budget.threshold_reached',
  description: 'The charges of a day or month reached a share of a budget.',
  schema: z.strictObject({
    scope: z.enum(['account', 'key']),
    key_id: z.string().nullable().describe('The id of the first key of its line.'),
    window: z.enum(['day', 'month']),
    period: z.string().describe('The day or month, UTC.'),
    percent: z.int(),
    limit_usd: z.number(),
    charged_usd: z.number(),
    reached_at: z.iso.datetime(),
  }),
  on: { BudgetThresholdReached },
  account: ({ data }) => data.accountId,
  body: ({ data }) => ({
    scope: data.key === undefined ? 'account' : 'key',
    key_id: data.key ?? null,
    window: data.window,
    period: data.period,
    percent: data.percent,
    limit_usd: toUsd(fromDecimal(data.limitMicroUsd)),
    charged_usd: toUsd(fromDecimal(data.chargedMicroUsd)),
    reached_at: data.reachedAt,
  }),
});
