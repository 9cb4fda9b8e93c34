import {
  type BudgetOwner,
  type BudgetSet,
  BudgetThresholdReached,
} from '#events/billing/budget.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type HoldPace, type PaceLimit, type Shrink } from '#platform/ledger/hold.js';
import { reject } from '../billing.rejection.js';
import {
  ACCOUNT_BUDGET,
  type Budget,
  budgetAt,
  type Budgets,
  budgetsOf,
  type Pace,
  type Spending,
  type SpendingWindow,
  tokensOf,
} from './budget.state.js';

/** An account has few keys at a time; the budgets of revoked ones can be removed. */
export const BUDGETS_MAX = 200;

/** A budget that work counts against, in the windows of the instant. */
interface AskedBudget extends Budget {
  readonly source: 'account' | 'key';
}

const WINDOWS = ['day', 'month'] as const satisfies readonly SpendingWindow[];

const limitOf = ({ limits }: Budget, window: SpendingWindow): MicroUsd | null =>
  window === 'day' ? limits.dayMicroUsd : limits.monthMicroUsd;

/** The account's budget before the budget of the key; none for most accounts. */
export const askedBudgets = (
  budgets: Budgets,
  key: string | undefined,
  at: string,
): readonly AskedBudget[] =>
  budgetsOf(key).flatMap((id) => {
    const budget = budgets.get(id);
    const source = id === ACCOUNT_BUDGET ? 'account' : 'key';
    return budget ? [{ ...budgetAt(budget, at), source } as const] : [];
  });

/** Whether one of them has a limit per minute. */
export const isPaced = (asked: readonly Budget[]): boolean =>
  asked.some(
    ({ limits: { requestsPerMinute, tokensPerMinute } }) =>
      requestsPerMinute !== null || tokensPerMinute !== null,
  );

const rest = (limit: MicroUsd, { used }: Spending): MicroUsd => (limit > used ? limit - used : 0n);

/** The units that the balance and the budgets still cover. */
export const affordableUnder = (asked: readonly Budget[], available: MicroUsd): MicroUsd => {
  let least = available;
  for (const budget of asked) {
    for (const window of WINDOWS) {
      const limit = limitOf(budget, window);
      if (limit !== null && rest(limit, budget[window]) < least)
        least = rest(limit, budget[window]);
    }
  }
  return least;
};

/**
 * Cuts the line that may be cut to what a minute can ever have, but not below its least: a request
 * without a limit of its own would never fit otherwise.
 */
export const withinMinute = (
  asked: readonly Budget[],
  lines: readonly PriceLine[],
  { step, meter, atLeast }: Shrink,
): readonly PriceLine[] => {
  const limits = asked.flatMap(({ limits: { tokensPerMinute } }) => tokensPerMinute ?? []);
  const over = tokensOf(lines) - Math.min(...limits, Number.MAX_SAFE_INTEGER);
  if (over <= 0 || tokensOf([{ meter, quantity: 1 }]) === 0) return lines;
  return lines.map((line) =>
    line.meter === meter && line.step === step
      ? { ...line, quantity: Math.min(line.quantity, Math.max(atLeast, line.quantity - over)) }
      : line,
  );
};

/** @throws DomainError `budget_exceeded`, saying whether waiting for running work helps */
export const demandBudgets = (asked: readonly AskedBudget[], amount: MicroUsd): void => {
  for (const budget of asked) {
    for (const window of WINDOWS) {
      const limit = limitOf(budget, window);
      const { used, held, period } = budget[window];
      if (limit === null || used + amount <= limit) continue;
      const isInFlight = used - held + amount <= limit;
      const detail =
        `the worst-case price of the request does not fit the budget of the ${budget.source} ` +
        `for the ${window} ${period}` +
        (isInFlight ? ' while other requests hold part of it; try again when they have ended' : '');
      reject('budget_exceeded', detail, {
        reason: isInFlight ? 'in_flight' : 'budget_exceeded',
        limit_source: budget.source,
        window,
        period,
        limit_micro_usd: toDecimal(limit),
        charged_micro_usd: toDecimal(used - held),
        held_micro_usd: toDecimal(held),
        asked_micro_usd: toDecimal(amount),
        resets_at: periodEnd(period),
        ...(isInFlight && { retry_after_seconds: 1 }),
      });
    }
  }
};

/** The first instant after a month, a day or a minute in UTC. */
export const periodEnd = (period: string): string => {
  const end = new Date(period + '0000-01-01T00:00:00.000Z'.slice(period.length));
  if (period.length === 'YYYY-MM'.length) end.setUTCMonth(end.getUTCMonth() + 1);
  else if (period.length === 'YYYY-MM-DD'.length) end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMinutes(end.getUTCMinutes() + 1);
  return end.toISOString();
};

/** @throws DomainError `rate_limit_exceeded`, with a pause where waiting helps */
export const demandPace = (
  asked: readonly AskedBudget[],
  lines: readonly PriceLine[],
  at: string,
): void => {
  const tokens = tokensOf(lines);
  for (const { source, limits, minute } of asked) {
    const { requestsPerMinute, tokensPerMinute } = limits;
    if (requestsPerMinute !== null && minute.requests >= requestsPerMinute) {
      rejectPace(source, 'requests_per_minute', requestsPerMinute, minute, at);
    }
    if (tokensPerMinute === null) continue;
    if (tokens > tokensPerMinute) {
      const detail =
        `the request reserves ${tokens} tokens, and this ${source} may use ${tokensPerMinute} a ` +
        'minute: it never fits';
      reject('rate_limit_exceeded', detail, {
        reason: 'request_exceeds_limit',
        limit_source: source,
        tokens_per_minute: tokensPerMinute,
        asked_tokens: tokens,
      });
    }
    if (minute.tokens + tokens > tokensPerMinute) {
      rejectPace(source, 'tokens_per_minute', tokensPerMinute, minute, at);
    }
  }
};

const rejectPace = (
  source: string,
  limit: 'requests_per_minute' | 'tokens_per_minute',
  perMinute: number,
  { period, tokens }: Pace,
  at: string,
): never => {
  const waitMs = Date.parse(periodEnd(period)) - Date.parse(at);
  const unit = limit === 'requests_per_minute' ? 'requests' : 'tokens';
  const detail = `the budget of this ${source} is ${perMinute} ${unit} a minute; try again later`;
  return reject('rate_limit_exceeded', detail, {
    reason: 'rate_limit',
    limit_source: source,
    [limit]: perMinute,
    remaining: unit === 'requests' ? 0 : Math.max(0, perMinute - tokens),
    retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
};

/** The tightest limits per minute, after a hold that counts against them. */
export const paceOf = (
  budgets: Budgets,
  key: string | undefined,
  at: string,
): HoldPace | undefined => {
  const asked = askedBudgets(budgets, key, at);
  if (!isPaced(asked)) return undefined;
  return {
    requests: tightest(asked, 'requestsPerMinute', 'requests'),
    tokens: tightest(asked, 'tokensPerMinute', 'tokens'),
  };
};

const tightest = (
  asked: readonly Budget[],
  limitName: 'requestsPerMinute' | 'tokensPerMinute',
  counted: 'requests' | 'tokens',
): PaceLimit | null => {
  let found: PaceLimit | null = null;
  for (const { limits, minute } of asked) {
    const limit = limits[limitName];
    if (limit === null) continue;
    const remaining = Math.max(0, limit - minute[counted]);
    if (found && found.remaining <= remaining) continue;
    found = { limit, remaining, resetsAt: periodEnd(minute.period) };
  }
  return found;
};

/** The thresholds that the charges of a budget have reached since the last report. */
export const reachedThresholds = (
  accountId: string,
  budgets: Budgets,
  ids: readonly string[],
  reachedAt: string,
): readonly BudgetThresholdReached[] =>
  ids.flatMap((id) => {
    const budget = budgets.get(id);
    if (!budget) return [];
    return WINDOWS.flatMap((window) => {
      const limit = limitOf(budget, window);
      const { used, held, reported } = budget[window];
      if (limit === null || limit === 0n) return [];
      const percent = budget.alertPercents.findLast(
        (one) => (used - held) * 100n >= limit * BigInt(one),
      );
      if (percent === undefined || percent <= reported) return [];
      return [thresholdOf(accountId, id, budget, window, percent, reachedAt)];
    });
  });

const thresholdOf = (
  accountId: string,
  id: string,
  budget: Budget,
  window: SpendingWindow,
  percent: number,
  reachedAt: string,
): BudgetThresholdReached => {
  const { period, used, held } = budget[window];
  return BudgetThresholdReached.of({
    accountId,
    ...(id !== ACCOUNT_BUDGET && { key: id }),
    window,
    period,
    percent,
    limitMicroUsd: toDecimal(limitOf(budget, window) ?? 0n),
    chargedMicroUsd: toDecimal(used - held),
    reachedAt,
  });
};

/** A budget that a request was refused by. */
export interface ExhaustedBudget {
  readonly accountId: string;
  readonly key: string | undefined;
  readonly source: 'account' | 'key';
  readonly window: SpendingWindow;
  readonly at: string;
}

/** The budget in `budget_exceeded`, unless running work holds the rest of it. */
export const exhaustedBudgetOf = (
  error: unknown,
): Pick<ExhaustedBudget, 'source' | 'window'> | undefined => {
  if (!(error instanceof DomainError) || error.code !== 'budget_exceeded') return undefined;
  const { reason, limit_source: source, window } = error.metadata ?? {};
  if (reason !== 'budget_exceeded') return undefined;
  if (source !== 'account' && source !== 'key') return undefined;
  return window === 'day' || window === 'month' ? { source, window } : undefined;
};

/** The whole of a budget is reported once in a window, also when a request was refused by it. */
export const exhausted = (
  budgets: Budgets,
  { accountId, key, source, window, at }: ExhaustedBudget,
): readonly BudgetThresholdReached[] => {
  const id = source === 'account' ? ACCOUNT_BUDGET : (key ?? ACCOUNT_BUDGET);
  const found = budgets.get(id);
  if (!found?.alertPercents.includes(100)) return [];
  const budget = budgetAt(found, at);
  if (budget[window].reported >= 100 || limitOf(budget, window) === null) return [];
  return [thresholdOf(accountId, id, budget, window, 100, at)];
};

const isSameBudget = ({ owner, limits, alertPercents }: Budget, set: BudgetSet['data']): boolean =>
  owner === set.owner &&
  (limits.dayMicroUsd?.toString() ?? null) === set.limits.dayMicroUsd &&
  (limits.monthMicroUsd?.toString() ?? null) === set.limits.monthMicroUsd &&
  limits.requestsPerMinute === set.limits.requestsPerMinute &&
  limits.tokensPerMinute === set.limits.tokensPerMinute &&
  alertPercents.join() === set.alertPercents.join();

/** Who changes a budget. */
export interface BudgetChanger {
  readonly owner: BudgetOwner;
  /** The id under which the key that asks counts, if a key asks. */
  readonly key?: string | undefined;
}

/** A key cannot lift what limits it, and an account not what the operator has set. */
export const demandChanger = (
  budgets: Budgets,
  changed: string | undefined,
  { owner, key }: BudgetChanger,
): void => {
  if (key !== undefined && budgets.has(key)) {
    reject('budget_not_changeable', 'a key with a budget of its own changes no budget');
  }
  if (owner === 'account' && budgets.get(changed ?? ACCOUNT_BUDGET)?.owner === 'operator') {
    reject(
      'budget_not_changeable',
      'the operator has set this budget; only the operator changes it',
    );
  }
};

/** @returns whether it changes anything */
export const demandBudget = (budgets: Budgets, set: BudgetSet['data']): boolean => {
  if (Object.values(set.limits).every((limit) => limit === null)) {
    reject('budget_without_limits', 'a budget has at least one limit; remove it to lift them all');
  }
  const known = budgets.get(set.key ?? ACCOUNT_BUDGET);
  if (known) return !isSameBudget(known, set);
  if (budgets.size >= BUDGETS_MAX) {
    reject('too_many_budgets', `an account has at most ${BUDGETS_MAX} budgets: remove one first`);
  }
  return true;
};
