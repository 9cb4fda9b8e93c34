import { z } from 'zod';
import { StatementClosed } from '#events/billing/account.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { defineNotification } from '#platform/runtime/areas/notification.js';

/** Tells the owner of an account that the statement of a month is final. */
export const statementReady = defineNotification<StatementClosed>({
  type: 'statement.ready',
  description: 'The statement of a month is final.',
  schema: z.strictObject({
    month: z.string().describe('`YYYY-MM`, UTC.'),
    opening_usd: z.number(),
    deposited_usd: z.number(),
    charged_usd: z.number(),
    adjusted_usd: z.number(),
    closing_usd: z.number(),
    closed_at: z.iso.datetime(),
  }),
  on: { StatementClosed },
  account: ({ data }) => data.accountId,
  body: ({ data }) => ({
    month: data.month,
    opening_usd: toUsd(fromDecimal(data.openingMicroUsd)),
    deposited_usd: toUsd(fromDecimal(data.depositedMicroUsd)),
    charged_usd: toUsd(fromDecimal(data.chargedMicroUsd)),
    adjusted_usd: toUsd(fromDecimal(data.adjustedMicroUsd)),
    closing_usd: toUsd(fromDecimal(data.closingMicroUsd)),
    closed_at: data.closedAt,
  }),
});
