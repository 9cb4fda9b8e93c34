import { type BudgetWindow } from '#events/billing/budget.events.js';
import {
  type BudgetSubject,
  limitIn,
  periodEnd,
  subjectOf,
  WINDOWS,
} from '#areas/billing/budgets/budget.state.js';
import {
  BudgetsQuery,
  type BudgetsView,
  type BudgetView,
} from '#areas/billing/budgets/budgets.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { type AccountCommand } from '#areas/billing/account.decider.js';
import {
  ListApiKeysQuery,
  type ListedKeyView,
} from '#areas/identity/keys/list-api-keys.handler.js';
import { UserId } from '#events/vocabulary.js';
import { instant } from '#platform/kernel/clock.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { CommandFailure } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';

export interface BudgetOptions extends CommonOptions {
  readonly user: string;
  /** The id of a key; the budget of the account without it and without a tag. */
  readonly key?: string;
  readonly tag?: string;
}

export interface SetBudgetOptions extends BudgetOptions {
  readonly usdPerDay?: MicroUsd;
  readonly usdPerWeek?: MicroUsd;
  readonly usdPerMonth?: MicroUsd;
  readonly usdInTotal?: MicroUsd;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly alertPercents: readonly number[];
}

interface Owner {
  readonly accountId: string;
  readonly keys: readonly ListedKeyView[];
  readonly subject: BudgetSubject;
}

const OPERATOR = { owner: 'operator' } as const;

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [apiKeys],
} as const;

export const setBudget = (options: SetBudgetOptions, invocation: Invocation): Promise<Outcome> => {
  const { requestsPerMinute, tokensPerMinute, alertPercents } = options;
  const limits = {
    dayMicroUsd: decimalOf(options.usdPerDay),
    weekMicroUsd: decimalOf(options.usdPerWeek),
    monthMicroUsd: decimalOf(options.usdPerMonth),
    totalMicroUsd: decimalOf(options.usdInTotal),
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
  };
  return change(options, invocation, ({ accountId, subject }, setAt) => ({
    type: 'SetBudget',
    data: { accountId, ...subject, limits, alertPercents: [...alertPercents], setAt },
    by: OPERATOR,
  }));
};

export const removeBudget = (options: BudgetOptions, invocation: Invocation): Promise<Outcome> =>
  change(options, invocation, ({ accountId, subject }, removedAt) => ({
    type: 'RemoveBudget',
    data: { accountId, ...subject, removedAt },
    by: OPERATOR,
  }));

export const showBudgets = (options: BudgetOptions, invocation: Invocation): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => shown(quipu, await ownerOf(options, quipu)));

const change = (
  options: BudgetOptions,
  invocation: Invocation,
  commandOf: (owner: Owner, at: string) => AccountCommand,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => {
    const owner = await ownerOf(options, quipu);
    const command = commandOf(owner, instant(quipu.clock));
    await quipu.commands.execute(new ChangeAccountCommand(command, quipu.context()));
    return shown(quipu, owner);
  });

const ownerOf = async ({ user, key, tag }: BudgetOptions, { queries }: Quipu): Promise<Owner> => {
  const accountId = await accountOf({ queries }, user);
  const userId = UserId.parse(Number(accountId));
  const { keys } = await queries.execute(new ListApiKeysQuery(userId));
  if (tag !== undefined) return { accountId, keys, subject: { tag } };
  if (key === undefined) return { accountId, keys, subject: {} };
  const found = keys.find(({ id }) => id === key);
  if (found) return { accountId, keys, subject: { key: found.lineage } };
  const { budgets } = await queries.execute(new BudgetsQuery(accountId));
  if (budgets.some((budget) => budget.key === key)) return { accountId, keys, subject: { key } };
  throw new CommandFailure('api_key_not_found', `--key: ${user} has no active key ${key}`);
};

const decimalOf = (amount: MicroUsd | undefined): string | null =>
  amount === undefined ? null : toDecimal(amount);

const shown = async ({ queries, placeAt }: Quipu, { accountId, keys }: Owner): Promise<Outcome> => {
  const view = await queries.execute(new BudgetsQuery(accountId));
  const position = await placeAt(view.position);
  return {
    json: { ...jsonOf(accountId, view, keys), position },
    text: textOf(view, keys),
  };
};

const keyIdOf = ({ key }: BudgetView, keys: readonly ListedKeyView[]): string | null =>
  keys.find(({ lineage }) => lineage === key)?.id ?? key;

const jsonOf = (
  accountId: string,
  { budgets }: BudgetsView,
  keys: readonly ListedKeyView[],
): Outcome['json'] => ({
  account_id: accountId,
  budgets: budgets.map((budget) => ({
    key_id: keyIdOf(budget, keys),
    user: subjectOf(budget.id).endUser ?? null,
    tag: subjectOf(budget.id).tag ?? null,
    owner: budget.owner,
    day: spendingJson(budget, 'day'),
    week: spendingJson(budget, 'week'),
    month: spendingJson(budget, 'month'),
    total: spendingJson(budget, 'total'),
    requests_per_minute: budget.limits.requestsPerMinute,
    tokens_per_minute: budget.limits.tokensPerMinute,
    alert_percents: budget.alertPercents,
    counts_since: budget.countsSince,
  })),
});

const spendingJson = (budget: BudgetView, window: BudgetWindow) => {
  const limit = limitIn(budget, window);
  const { period, used, held } = budget[window];
  if (limit === null) return null;
  return {
    period,
    limit_micro_usd: toDecimal(limit),
    charged_micro_usd: toDecimal(used - held),
    held_micro_usd: toDecimal(held),
    resets_at: periodEnd(window, period),
  };
};

const nameOf = (budget: BudgetView, keys: readonly ListedKeyView[]): string => {
  const { endUser, tag } = subjectOf(budget.id);
  return keyIdOf(budget, keys) ?? tag ?? endUser ?? 'the account';
};

const textOf = ({ budgets }: BudgetsView, keys: readonly ListedKeyView[]): string => {
  if (budgets.length === 0) return 'There is no budget.';
  const header = ['BUDGET OF', ...WINDOWS.map((one) => one.toUpperCase())];
  const rows = budgets.map((budget) => [
    nameOf(budget, keys),
    ...WINDOWS.map((window) => spendingText(budget, window)),
    budget.limits.requestsPerMinute?.toString() ?? '-',
    budget.limits.tokensPerMinute?.toString() ?? '-',
  ]);
  return inColumns([[...header, 'REQUESTS/MIN', 'TOKENS/MIN'], ...rows]);
};

const spendingText = (budget: BudgetView, window: BudgetWindow): string => {
  const limit = limitIn(budget, window);
  return limit === null ? '-' : `${inUsd(budget[window].used)} of ${inUsd(limit)}`;
};
