import { Map as ImmutableMap } from 'immutable';
import {
  type BudgetOwner,
  type BudgetRemoved,
  type BudgetSet,
  type BudgetThresholdReached,
  BudgetWindow,
} from '#events/billing/budget.events.js';
import { type HoldLabels, type PriceLine } from '#events/hold.vocabulary.js';
import { monthAfter, startOfMonth } from '#events/billing/statement-month.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

export const WINDOWS: readonly BudgetWindow[] = BudgetWindow.options;

type InWindows<Value> = Readonly<Record<BudgetWindow, Value>>;

const inWindows = <Value>(of: (window: BudgetWindow) => Value): InWindows<Value> => ({
  day: of('day'),
  week: of('week'),
  month: of('month'),
  total: of('total'),
});

/** Null: no limit. */
export interface Limits extends Readonly<Record<`${BudgetWindow}MicroUsd`, MicroUsd | null>> {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export const limitIn = ({ limits }: Pick<Budget, 'limits'>, window: BudgetWindow) =>
  limits[`${window}MicroUsd`];

/** The money that a window has taken. Only the latest one is kept: a sum, and no list. */
export interface Spending {
  /** `YYYY-MM-DD` of a day, `YYYY-Www` of a week, `YYYY-MM` of a month, or `total`. */
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

export interface Budget extends InWindows<Spending> {
  readonly owner: BudgetOwner;
  readonly limits: Limits;
  readonly alertPercents: readonly number[];
  /** When it was first set: holds from before do not count. */
  readonly countsSince: string;
  readonly minute: Pace;
}

/** By the id of the key, the hash of the end user or the tag. */
export type Budgets = ImmutableMap<string, Budget>;

/** The id of the budget of the whole account. */
export const ACCOUNT_BUDGET = '';

/** The spending that a budget limits: one of them, or none for the whole account. */
export type BudgetSubject = Pick<BudgetSet['data'], 'key' | 'endUser' | 'tag'>;

export const budgetIdOf = ({ key, endUser, tag }: BudgetSubject): string =>
  key ?? endUser ?? tag ?? ACCOUNT_BUDGET;

const KEY_ID_LENGTH = 16;

/** A tag has an equals sign, and a key has a shorter id than an end user. */
export const subjectOf = (id: string): BudgetSubject => {
  if (id === ACCOUNT_BUDGET) return {};
  if (id.includes('=')) return { tag: id };
  return id.length === KEY_ID_LENGTH ? { key: id } : { endUser: id };
};

/** Whose spending a budget limits. */
export type BudgetSource = 'account' | 'key' | 'user' | 'tag';

export const sourceOf = (id: string): BudgetSource => {
  const { key, endUser, tag } = subjectOf(id);
  if (key !== undefined) return 'key';
  if (endUser !== undefined) return 'user';
  return tag === undefined ? 'account' : 'tag';
};

interface Taken {
  readonly period: string;
  readonly amount: MicroUsd;
}

/** The amount that an open hold has taken from one budget, in the windows in which it took last. */
export interface Take extends InWindows<Taken> {
  readonly budget: string;
  /** Null for a hold that does not count against limits per minute. */
  readonly minute: { readonly period: string; readonly tokens: number } | null;
}

export const NO_BUDGETS: Budgets = ImmutableMap();
export const NO_TAKES: readonly Take[] = [];

/** Who asks for work, as budgets tell callers apart. */
export type Spender = Pick<HoldLabels, 'key' | 'endUser' | 'tags'>;

/** The budgets that work with these labels counts against. */
export const budgetsOf = ({ key, endUser, tags = [] }: Spender): readonly string[] => [
  ACCOUNT_BUDGET,
  ...(key === undefined ? [] : [key]),
  ...(endUser === undefined ? [] : [endUser]),
  ...tags,
];

/** A meter counts tokens when its name ends so. */
const TOKENS = /(^|_)tokens$/;

/** The tokens that the lines count together. */
export const tokensOf = (lines: readonly Pick<PriceLine, 'meter' | 'quantity'>[]): number =>
  lines.reduce((sum, { meter, quantity }) => (TOKENS.test(meter) ? sum + quantity : sum), 0);

const DAY_CHARACTERS = 'YYYY-MM-DD'.length;
const MONTH_CHARACTERS = 'YYYY-MM'.length;
const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

const TOTAL = 'total';
const DAY_MS = 86_400_000;

const weekdayOf = (date: Date): number => (date.getUTCDay() + 6) % 7;

/** The week of ISO 8601: it belongs to the year of its Thursday. */
const weekOf = (instant: string): string => {
  const day = new Date(instant.slice(0, DAY_CHARACTERS));
  const thursday = new Date(day.getTime() + (3 - weekdayOf(day)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}-W${String(week).padStart(2, '0')}`;
};

const PERIODS: InWindows<(instant: string) => string> = {
  day: (instant) => instant.slice(0, DAY_CHARACTERS),
  week: weekOf,
  month: (instant) => instant.slice(0, MONTH_CHARACTERS),
  total: () => TOTAL,
};

const END_OF: Readonly<Record<Exclude<BudgetWindow, 'total'>, (period: string) => number>> = {
  day: (period) => Date.parse(period) + DAY_MS,
  week: (period) => {
    const [year = 0, week = 0] = period.split('-W').map(Number);
    // The fourth of January is in the first week.
    const fourth = new Date(Date.UTC(year, 0, 4));
    return fourth.getTime() + (week * 7 - weekdayOf(fourth)) * DAY_MS;
  },
  month: (period) => Date.parse(startOfMonth(monthAfter(period))),
};

/** The first instant after a period in UTC; null for all time. */
export const periodEnd = (window: BudgetWindow, period: string): string | null =>
  window === 'total' ? null : new Date(END_OF[window](period)).toISOString();

const MINUTE_MS = 60_000;

/** The first instant after a minute. */
export const minuteEnd = (period: string): string =>
  new Date(Date.parse(`${period}Z`) + MINUTE_MS).toISOString();

const spendingOf = (known: Spending, period: string): Spending =>
  period > known.period ? { period, used: 0n, held: 0n, reported: 0 } : known;

/** The budget in the windows of an instant. A window never goes back: clocks may differ. */
export const budgetAt = (budget: Budget, instant: string): Budget => {
  const minute = instant.slice(0, MINUTE_CHARACTERS);
  return {
    ...budget,
    ...inWindows((window) => spendingOf(budget[window], PERIODS[window](instant))),
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

/** Takes from every budget of the spender that is there. */
export const take = (
  budgets: Budgets,
  spender: Spender,
  before: readonly Take[],
  { amount, at, tokens }: Taking,
): { readonly budgets: Budgets; readonly takes: readonly Take[] } => {
  let after = budgets;
  const takes: Take[] = [];
  for (const id of budgetsOf(spender)) {
    const found = budgets.get(id);
    if (!found) continue;
    const budget = budgetAt(found, at);
    const { period, requests, tokens: counted } = budget.minute;
    const earlier = before.find(({ budget: taken }) => taken === id);
    takes.push({
      budget: id,
      ...inWindows((window) => takenMore(earlier?.[window], budget[window], amount)),
      minute: tokens === null ? (earlier?.minute ?? null) : { period, tokens },
    });
    after = after.set(id, {
      ...budget,
      ...inWindows((window) => spent(budget[window], amount)),
      ...(tokens !== null && {
        minute: { period, requests: requests + 1, tokens: counted + tokens },
      }),
    });
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
  for (const { budget: id, minute, ...taken } of takes) {
    const budget = after.get(id);
    if (!budget) continue;
    const known = budget.minute;
    const unused = minute?.period === known.period ? Math.max(0, minute.tokens - tokens) : 0;
    after = after.set(id, {
      ...budget,
      ...inWindows((window) => freed(budget[window], taken[window], released)),
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

const UNTOUCHED_WINDOWS = inWindows(() => UNTOUCHED);

export const setBudget = (budgets: Budgets, set: BudgetSet['data']): Budgets => {
  const id = budgetIdOf(set);
  const { owner, alertPercents, setAt } = set;
  const limits: Limits = {
    ...set.limits,
    dayMicroUsd: moneyOf(set.limits.dayMicroUsd),
    weekMicroUsd: moneyOf(set.limits.weekMicroUsd),
    monthMicroUsd: moneyOf(set.limits.monthMicroUsd),
    totalMicroUsd: moneyOf(set.limits.totalMicroUsd),
  };
  const minute = { period: '', requests: 0, tokens: 0 };
  const fresh = { owner, limits, alertPercents, countsSince: setAt, minute };
  const before = budgetAt(budgets.get(id) ?? { ...fresh, ...UNTOUCHED_WINDOWS }, setAt);
  const after = { ...before, owner, limits, alertPercents };
  return budgets.set(id, {
    ...after,
    ...inWindows((window) =>
      limited(before[window], limitIn(before, window), limitIn(after, window)),
    ),
  });
};

export const removeBudget = (budgets: Budgets, removal: BudgetRemoved['data']): Budgets =>
  budgets.delete(budgetIdOf(removal));

/** The open holds of a budget that was removed: one that is set later does not know them. */
export const withoutTakesOf = (
  takes: readonly Take[],
  removal: BudgetRemoved['data'],
): readonly Take[] => {
  const kept = takes.filter(({ budget }) => budget !== budgetIdOf(removal));
  return kept.length === takes.length ? takes : kept;
};

export const reportThreshold = (
  budgets: Budgets,
  { window, period, percent, ...subject }: BudgetThresholdReached['data'],
): Budgets => {
  const id = budgetIdOf(subject);
  const budget = budgets.get(id);
  if (!budget || budget[window].period > period) return budgets;
  const spending = { ...spendingOf(budget[window], period), reported: percent };
  return budgets.set(id, { ...budget, [window]: spending });
};
