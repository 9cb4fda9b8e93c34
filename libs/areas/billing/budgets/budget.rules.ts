import {
  BudgetOwner,
  type BudgetSet,
  BudgetThresholdReached,
  type BudgetWindow,
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
  budgetIdOf,
  type Budgets,
  budgetsOf,
  type BudgetSource,
  type BudgetSubject,
  limitIn,
  type Pace,
  minuteEnd,
  periodEnd,
  sourceOf,
  type Spender,
  type Spending,
  subjectOf,
  tokensOf,
  WINDOWS,
} from './budget.state.js';

/** An account has few keys at a time; the budgets of revoked ones can be removed. */
export const BUDGETS_MAX = 200;

/** A budget that work counts against, in the windows of the instant. */
interface AskedBudget extends Budget {
  readonly id: string;
  readonly source: BudgetSource;
}

const NO_BUDGETS_ASKED: readonly AskedBudget[] = [];

/** The account's budget before the others; none for most accounts. */
export const askedBudgets = (
  budgets: Budgets,
  spender: Spender,
  at: string,
): readonly AskedBudget[] =>
  budgets.isEmpty()
    ? NO_BUDGETS_ASKED
    : budgetsOf(spender).flatMap((id) => {
        const budget = budgets.get(id);
        return budget ? [{ ...budgetAt(budget, at), id, source: sourceOf(id) }] : [];
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
      const limit = limitIn(budget, window);
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
      const limit = limitIn(budget, window);
      const { used, held, period } = budget[window];
      if (limit === null || used + amount <= limit) continue;
      const isInFlight = used - held + amount <= limit;
      const detail =
        `the worst-case price of the request does not fit the budget of the ${budget.source} ` +
        (window === 'total' ? 'in total' : `for the ${window} ${period}`) +
        (isInFlight ? ' while other requests hold part of it; try again when they have ended' : '');
      reject('budget_exceeded', detail, {
        reason: isInFlight ? 'in_flight' : 'budget_exceeded',
        limit_source: budget.source,
        ...(budget.source === 'tag' && { tag: budget.id }),
        window,
        period,
        limit_micro_usd: toDecimal(limit),
        charged_micro_usd: toDecimal(used - held),
        held_micro_usd: toDecimal(held),
        asked_micro_usd: toDecimal(amount),
        resets_at: periodEnd(window, period),
        ...(isInFlight && { retry_after_seconds: 1 }),
      });
    }
  }
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
  const waitMs = Date.parse(minuteEnd(period)) - Date.parse(at);
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
export const paceOf = (budgets: Budgets, spender: Spender, at: string): HoldPace | undefined => {
  const asked = askedBudgets(budgets, spender, at);
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
    found = { limit, remaining, resetsAt: minuteEnd(minute.period) };
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
      const limit = limitIn(budget, window);
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
  window: BudgetWindow,
  percent: number,
  reachedAt: string,
): BudgetThresholdReached => {
  const { period, used, held } = budget[window];
  return BudgetThresholdReached.of({
    accountId,
    ...subjectOf(id),
    window,
    period,
    percent,
    limitMicroUsd: toDecimal(limitIn(budget, window) ?? 0n),
    chargedMicroUsd: toDecimal(used - held),
    reachedAt,
  });
};

/** A budget that a request was rejected by. */
export interface ExhaustedBudget {
  readonly accountId: string;
  readonly budget: string;
  readonly window: BudgetWindow;
  readonly at: string;
}

/** The budget in `budget_exceeded`, unless running work holds the rest of it. */
export const exhaustedBudgetOf = (
  error: unknown,
  { key, endUser }: Spender,
): Pick<ExhaustedBudget, 'budget' | 'window'> | undefined => {
  if (!(error instanceof DomainError) || error.code !== 'budget_exceeded') return undefined;
  const { reason, limit_source: source, window: named, tag } = error.metadata ?? {};
  const window = WINDOWS.find((one) => one === named);
  if (reason !== 'budget_exceeded' || window === undefined) return undefined;
  const ids: Readonly<Record<BudgetSource, unknown>> = {
    account: ACCOUNT_BUDGET,
    key,
    user: endUser,
    tag,
  };
  const budget = ids[source as BudgetSource];
  return typeof budget === 'string' ? { budget, window } : undefined;
};

/** The whole of a budget is reported once in a window, also when a request was rejected by it. */
export const exhausted = (
  budgets: Budgets,
  { accountId, budget: id, window, at }: ExhaustedBudget,
): readonly BudgetThresholdReached[] => {
  const found = budgets.get(id);
  if (!found?.alertPercents.includes(100)) return [];
  const budget = budgetAt(found, at);
  if (budget[window].reported >= 100 || limitIn(budget, window) === null) return [];
  return [thresholdOf(accountId, id, budget, window, 100, at)];
};

const isSameBudget = ({ owner, limits, alertPercents }: Budget, set: BudgetSet['data']): boolean =>
  owner === set.owner &&
  WINDOWS.every(
    (window) =>
      (limits[`${window}MicroUsd`]?.toString() ?? null) === set.limits[`${window}MicroUsd`],
  ) &&
  limits.requestsPerMinute === set.limits.requestsPerMinute &&
  limits.tokensPerMinute === set.limits.tokensPerMinute &&
  alertPercents.join() === set.alertPercents.join();

/** Who changes a budget. */
export interface BudgetChanger {
  readonly owner: BudgetOwner;
  /** The id under which the key that asks counts, if a key asks. */
  readonly key?: string | undefined;
}

const OWNERS: readonly BudgetOwner[] = BudgetOwner.options;

const SETTERS: Readonly<Record<BudgetOwner, string>> = {
  account: 'this account',
  parent: 'the account above',
  operator: 'the operator',
};

/**
 * A key cannot lift what limits it, an account not what the account above has set, and neither what
 * the operator has set.
 */
export const demandChanger = (
  budgets: Budgets,
  changed: BudgetSubject,
  { owner: by, key }: BudgetChanger,
): void => {
  if (key !== undefined && budgets.has(key)) {
    reject('budget_not_changeable', 'a key with a budget of its own changes no budget');
  }
  const owner = budgets.get(budgetIdOf(changed))?.owner ?? by;
  if (OWNERS.indexOf(by) >= OWNERS.indexOf(owner)) return;
  const setter = SETTERS[owner];
  reject('budget_not_changeable', `${setter} has set this budget; only ${setter} changes it`);
};

/** @returns whether it changes anything */
export const demandBudget = (budgets: Budgets, set: BudgetSet['data']): boolean => {
  if (Object.values(set.limits).every((limit) => limit === null)) {
    reject('budget_without_limits', 'a budget has at least one limit; remove it to lift them all');
  }
  const known = budgets.get(budgetIdOf(set));
  if (known) return !isSameBudget(known, set);
  if (budgets.size >= BUDGETS_MAX) {
    reject('too_many_budgets', `an account has at most ${BUDGETS_MAX} budgets: remove one first`);
  }
  return true;
};
