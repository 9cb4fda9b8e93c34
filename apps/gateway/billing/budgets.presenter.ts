import { type BudgetSet } from '#events/billing/budget.events.js';
import { type BudgetWindow } from '#events/billing/budget.events.js';
import {
  limitIn,
  minuteEnd,
  periodEnd,
  sourceOf,
  subjectOf,
} from '#areas/billing/budgets/budget.state.js';
import { type BudgetsView, type BudgetView } from '#areas/billing/budgets/budgets.handler.js';
import { toUsd } from '#platform/kernel/money.js';
import { microUsdOf } from '../fields/usd-field.js';
import { type BudgetDto, type BudgetListDto, type SetBudgetDto } from './budgets.dto.js';

/** The limits that a caller asks for. */
export const limitsOf = (
  sent: SetBudgetDto,
): Pick<BudgetSet['data'], 'limits' | 'alertPercents'> => ({
  limits: {
    dayMicroUsd: microUsdOf(sent.usd_per_day),
    weekMicroUsd: microUsdOf(sent.usd_per_week),
    monthMicroUsd: microUsdOf(sent.usd_per_month),
    totalMicroUsd: microUsdOf(sent.usd_in_total),
    requestsPerMinute: sent.requests_per_minute ?? null,
    tokensPerMinute: sent.tokens_per_minute ?? null,
  },
  alertPercents: [...sent.alert_percents].sort((one, other) => one - other),
});

/** @param keyIds the id of the active key of each line */
export const presentBudgets = (
  { budgets, position }: BudgetsView,
  keyIds: ReadonlyMap<string, string>,
): BudgetListDto => ({
  success: true,
  budgets: budgets.map((budget) => presentBudget(budget, keyIds)),
  position: position.toString(),
});

const presentBudget = (budget: BudgetView, keyIds: ReadonlyMap<string, string>): BudgetDto => {
  const { id, key, owner, limits, minute, alertPercents, countsSince } = budget;
  const { endUser: user = null, tag = null } = subjectOf(id);
  return {
    scope: sourceOf(id),
    key_id: key === null ? null : (keyIds.get(key) ?? key),
    user,
    tag,
    owner,
    day: presentSpending(budget, 'day'),
    week: presentSpending(budget, 'week'),
    month: presentSpending(budget, 'month'),
    total: presentSpending(budget, 'total'),
    requests_per_minute: presentPace(minute.period, minute.requests, limits.requestsPerMinute),
    tokens_per_minute: presentPace(minute.period, minute.tokens, limits.tokensPerMinute),
    alert_percents: alertPercents,
    counts_since: countsSince,
  };
};

const presentSpending = (budget: BudgetView, window: BudgetWindow): BudgetDto['day'] => {
  const limit = limitIn(budget, window);
  const { period, used, held } = budget[window];
  if (limit === null) return null;
  return {
    period,
    limit_usd: toUsd(limit),
    charged_usd: toUsd(used - held),
    held_usd: toUsd(held),
    remaining_usd: toUsd(limit > used ? limit - used : 0n),
    resets_at: periodEnd(window, period),
  };
};

const presentPace = (
  period: string,
  used: number,
  limit: number | null,
): BudgetDto['requests_per_minute'] =>
  limit === null
    ? null
    : { limit, used, remaining: Math.max(0, limit - used), resets_at: minuteEnd(period) };
