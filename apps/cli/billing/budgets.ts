import { periodEnd } from '#areas/billing/budgets/budget.rules.js';
import { type Spending } from '#areas/billing/budgets/budget.state.js';
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
  /** The id of a key; the budget of the account without it. */
  readonly key?: string;
}

export interface SetBudgetOptions extends BudgetOptions {
  readonly usdPerDay?: MicroUsd;
  readonly usdPerMonth?: MicroUsd;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly alertPercents: readonly number[];
}

interface Owner {
  readonly accountId: string;
  readonly keys: readonly ListedKeyView[];
  /** The id under which the named key counts, if one is named. */
  readonly line: { readonly key?: string };
}

const OPERATOR = { owner: 'operator' } as const;

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [apiKeys],
} as const;

export const setBudget = (options: SetBudgetOptions, invocation: Invocation): Promise<Outcome> => {
  const { usdPerDay, usdPerMonth, requestsPerMinute, tokensPerMinute, alertPercents } = options;
  const limits = {
    dayMicroUsd: usdPerDay === undefined ? null : toDecimal(usdPerDay),
    monthMicroUsd: usdPerMonth === undefined ? null : toDecimal(usdPerMonth),
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
  };
  return change(options, invocation, ({ accountId, line }, setAt) => ({
    type: 'SetBudget',
    data: { accountId, ...line, limits, alertPercents: [...alertPercents], setAt },
    by: OPERATOR,
  }));
};

export const removeBudget = (options: BudgetOptions, invocation: Invocation): Promise<Outcome> =>
  change(options, invocation, ({ accountId, line }, removedAt) => ({
    type: 'RemoveBudget',
    data: { accountId, ...line, removedAt },
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

const ownerOf = async ({ user, key }: BudgetOptions, { queries }: Quipu): Promise<Owner> => {
  const accountId = await accountOf({ queries }, user);
  const userId = UserId.parse(Number(accountId));
  const { keys } = await queries.execute(new ListApiKeysQuery(userId));
  if (key === undefined) return { accountId, keys, line: {} };
  const found = keys.find(({ id }) => id === key);
  if (found) return { accountId, keys, line: { key: found.lineage } };
  const { budgets } = await queries.execute(new BudgetsQuery(accountId));
  if (budgets.some((budget) => budget.key === key)) return { accountId, keys, line: { key } };
  throw new CommandFailure('api_key_not_found', `--key: ${user} has no active key ${key}`);
};

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
    owner: budget.owner,
    day: spendingJson(budget.day, budget.limits.dayMicroUsd),
    month: spendingJson(budget.month, budget.limits.monthMicroUsd),
    requests_per_minute: budget.limits.requestsPerMinute,
    tokens_per_minute: budget.limits.tokensPerMinute,
    alert_percents: budget.alertPercents,
    counts_since: budget.countsSince,
  })),
});

const spendingJson = ({ period, used, held }: Spending, limit: MicroUsd | null) =>
  limit === null
    ? null
    : {
        period,
        limit_micro_usd: toDecimal(limit),
        charged_micro_usd: toDecimal(used - held),
        held_micro_usd: toDecimal(held),
        resets_at: periodEnd(period),
      };

const textOf = ({ budgets }: BudgetsView, keys: readonly ListedKeyView[]): string => {
  if (budgets.length === 0) return 'There is no budget.';
  const header = ['BUDGET OF', 'DAY', 'MONTH', 'REQUESTS/MIN', 'TOKENS/MIN'];
  const rows = budgets.map((budget) => {
    const { limits, day, month } = budget;
    return [
      keyIdOf(budget, keys) ?? 'the account',
      spendingText(day, limits.dayMicroUsd),
      spendingText(month, limits.monthMicroUsd),
      limits.requestsPerMinute?.toString() ?? '-',
      limits.tokensPerMinute?.toString() ?? '-',
    ];
  });
  return inColumns([header, ...rows]);
};

const spendingText = ({ used }: Spending, limit: MicroUsd | null): string =>
  limit === null ? '-' : `${inUsd(used)} of ${inUsd(limit)}`;
