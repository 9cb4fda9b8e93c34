import { Map as ImmutableMap } from 'immutable';
import {
  type BudgetOwner,
  type BudgetRemoved,
  type BudgetSet,
  type BudgetThresholdReached,
} from '#events/billing/budget.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

/** Null: no limit. */
export interface Limits {
  readonly dayMicroUsd: MicroUsd | null;
  readonly monthMicroUsd: MicroUsd | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** The money that a day or a month has taken. Only the latest one is kept: a sum, and no list. */
export interface Spending {
  /** `YYYY-MM-DD` of a day, `YYYY-MM` of a month. */
  readonly period: string;
  /** Charges and open holds. */
  readonly used: MicroUsd;
  /** Open holds only. */
  readonly held: MicroUsd;
  /** The highest threshold that was reported, or 0. */
  readonly reported: number;
}

/** The requests and tokens of the latest minute with a request. */
export interface Pace {
  /** `YYYY-MM-DDTHH:MM`. */
  readonly period: string;
  readonly requests: number;
  readonly tokens: number;
}

export interface Budget {
  readonly owner: BudgetOwner;
  readonly limits: Limits;
  readonly alertPercents: readonly number[];
  /** When it was first set: holds from before do not count. */
  readonly countsSince: string;
  readonly day: Spending;
  readonly month: Spending;
  readonly minute: Pace;
}

/** By the id of the key; the account's own is at `ACCOUNT_BUDGET`. */
export type Budgets = ImmutableMap<string, Budget>;

export const ACCOUNT_BUDGET = '';

export type SpendingWindow = 'day' | 'month';

interface Taken {
  readonly period: string;
  readonly amount: MicroUsd;
}

/** The amount that an open hold has taken from one budget, in the windows in which it took last. */
export interface Take {
  readonly budget: string;
  readonly day: Taken;
  readonly month: Taken;
  /** Null for a hold that does not count against limits per minute. */
  readonly minute: { readonly period: string; readonly tokens: number } | null;
}

export const NO_BUDGETS: Budgets = ImmutableMap();
export const NO_TAKES: readonly Take[] = [];

/** The budgets that work of this key counts against. */
export const budgetsOf = (key: string | undefined): readonly string[] =>
  key === undefined ? [ACCOUNT_BUDGET] : [ACCOUNT_BUDGET, key];

/** A meter counts tokens when its name ends so. */
const TOKENS = /(^|_)tokens$/;

/** The tokens that the lines count together. */
export const tokensOf = (lines: readonly Pick<PriceLine, 'meter' | 'quantity'>[]): number =>
  lines.reduce((sum, { meter, quantity }) => (TOKENS.test(meter) ? sum + quantity : sum), 0);

const DAY_CHARACTERS = 'YYYY-MM-DD'.length;
const MONTH_CHARACTERS = 'YYYY-MM'.length;
const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

const spendingOf = (known: Spending, period: string): Spending =>
  period > known.period ? { period, used: 0n, held: 0n, reported: 0 } : known;

/** The budget in the windows of an instant. A window never goes back: clocks may differ. */
export const budgetAt = (budget: Budget, instant: string): Budget => {
  const minute = instant.slice(0, MINUTE_CHARACTERS);
  return {
    ...budget,
    day: spendingOf(budget.day, instant.slice(0, DAY_CHARACTERS)),
    month: spendingOf(budget.month, instant.slice(0, MONTH_CHARACTERS)),
    minute:
      minute > budget.minute.period ? { period: minute, requests: 0, tokens: 0 } : budget.minute,
  };
};

/** The amount that a hold or a renewal takes. */
export interface Taking {
  readonly amount: MicroUsd;
  /** ISO 8601. */
  readonly at: string;
  /** Null for a request that does not count against limits per minute. */
  readonly tokens: number | null;
}

const takenMore = (before: Taken | undefined, { period }: Spending, amount: MicroUsd): Taken => ({
  period,
  amount: before?.period === period ? before.amount + amount : amount,
});

const spent = (window: Spending, amount: MicroUsd): Spending => ({
  ...window,
  used: window.used + amount,
  held: window.held + amount,
});

/** Takes from every budget of the key that is there. */
export const take = (
  budgets: Budgets,
  key: string | undefined,
  before: readonly Take[],
  { amount, at, tokens }: Taking,
): { readonly budgets: Budgets; readonly takes: readonly Take[] } => {
  let after = budgets;
  const takes: Take[] = [];
  for (const id of budgetsOf(key)) {
    const found = budgets.get(id);
    if (!found) continue;
    const { day, month, minute, ...rest } = budgetAt(found, at);
    const { period } = minute;
    const earlier = before.find(({ budget }) => budget === id);
    takes.push({
      budget: id,
      day: takenMore(earlier?.day, day, amount),
      month: takenMore(earlier?.month, month, amount),
      minute: tokens === null ? (earlier?.minute ?? null) : { period, tokens },
    });
    const paced =
      tokens === null
        ? minute
        : { period, requests: minute.requests + 1, tokens: minute.tokens + tokens };
    const windows = { day: spent(day, amount), month: spent(month, amount), minute: paced };
    after = after.set(id, { ...rest, ...windows });
  }
  return { budgets: after, takes };
};

const least = (one: MicroUsd, other: MicroUsd): MicroUsd => (one < other ? one : other);

/** A release frees the latest amounts; the amounts of an older window are charged to it. */
const freed = (window: Spending, taken: Taken, released: MicroUsd): Spending =>
  window.period === taken.period
    ? {
        ...window,
        used: window.used - least(released, taken.amount),
        held: window.held - taken.amount,
      }
    : window;

/** Gives back what an ended hold did not use, to the windows that it was taken from. */
export const giveBack = (
  budgets: Budgets,
  takes: readonly Take[],
  released: MicroUsd,
  /** Tokens that were used. */
  tokens: number,
): Budgets => {
  let after = budgets;
  for (const { budget: id, day, month, minute } of takes) {
    const budget = after.get(id);
    if (!budget) continue;
    const known = budget.minute;
    const unused = minute?.period === known.period ? Math.max(0, minute.tokens - tokens) : 0;
    after = after.set(id, {
      ...budget,
      day: freed(budget.day, day, released),
      month: freed(budget.month, month, released),
      minute: unused === 0 ? known : { ...known, tokens: known.tokens - unused },
    });
  }
  return after;
};

const UNTOUCHED: Spending = { period: '', used: 0n, held: 0n, reported: 0 };

const moneyOf = (decimal: string | null): MicroUsd | null =>
  decimal === null ? null : fromDecimal(decimal);

/** The spent amount stays; the thresholds of a new limit are reported again. */
const limited = (window: Spending, before: MicroUsd | null, limit: MicroUsd | null): Spending =>
  before === limit ? window : { ...window, reported: 0 };

export const setBudget = (budgets: Budgets, { key, ...data }: BudgetSet['data']): Budgets => {
  const id = key ?? ACCOUNT_BUDGET;
  const { owner, limits: set, alertPercents, setAt } = data;
  const limits: Limits = {
    ...set,
    dayMicroUsd: moneyOf(set.dayMicroUsd),
    monthMicroUsd: moneyOf(set.monthMicroUsd),
  };
  const known = budgets.get(id);
  const minute = { period: '', requests: 0, tokens: 0 };
  const fresh = { owner, limits, alertPercents, countsSince: setAt, minute };
  const before = budgetAt(known ?? { ...fresh, day: UNTOUCHED, month: UNTOUCHED }, setAt);
  return budgets.set(id, {
    ...before,
    owner,
    limits,
    alertPercents,
    day: limited(before.day, before.limits.dayMicroUsd, limits.dayMicroUsd),
    month: limited(before.month, before.limits.monthMicroUsd, limits.monthMicroUsd),
  });
};

export const removeBudget = (budgets: Budgets, { key }: BudgetRemoved['data']): Budgets =>
  budgets.delete(key ?? ACCOUNT_BUDGET);

/** The open holds of a budget that was removed: one that is set later does not know them. */
export const withoutTakesOf = (
  takes: readonly Take[],
  { key }: BudgetRemoved['data'],
): readonly Take[] => {
  const kept = takes.filter(({ budget }) => budget !== (key ?? ACCOUNT_BUDGET));
  return kept.length === takes.length ? takes : kept;
};

export const reportThreshold = (
  budgets: Budgets,
  { key, window, period, percent }: BudgetThresholdReached['data'],
): Budgets => {
  const id = key ?? ACCOUNT_BUDGET;
  const budget = budgets.get(id);
  if (!budget || budget[window].period > period) return budgets;
  const spending = { ...spendingOf(budget[window], period), reported: percent };
  return budgets.set(id, { ...budget, [window]: spending });
};
