import { z } from 'zod';
import { BudgetThresholdReached, BudgetWindow } from '#events/billing/budget.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { defineNotification } from '#platform/runtime/areas/notification.js';
import { budgetIdOf, sourceOf } from './budget.state.js';

/** Tells the owner of an account how far a budget is spent. */
export const budgetThresholdReached = defineNotification<BudgetThresholdReached>({
  type: 'budget.threshold_reached',
  description: 'The charges of a day, week or month, or all charges, reached a share of a budget.',
  schema: z.strictObject({
    scope: z.enum(['account', 'key', 'user', 'tag']),
    key_id: z.string().nullable().describe('The id of the first key of its line.'),
    user: z.string().nullable().describe('The hash of the end user.'),
    tag: z.string().nullable(),
    window: BudgetWindow,
    period: z.string().describe('The day, week or month in UTC, or `total`.'),
    percent: z.int(),
    limit_usd: z.number(),
    charged_usd: z.number(),
    reached_at: z.iso.datetime(),
  }),
  on: { BudgetThresholdReached },
  account: ({ data }) => data.accountId,
  body: ({ data }) => ({
    scope: sourceOf(budgetIdOf(data)),
    key_id: data.key ?? null,
    user: data.endUser ?? null,
    tag: data.tag ?? null,
    window: data.window,
    period: data.period,
    percent: data.percent,
    limit_usd: toUsd(fromDecimal(data.limitMicroUsd)),
    charged_usd: toUsd(fromDecimal(data.chargedMicroUsd)),
    reached_at: data.reachedAt,
  }),
});
