import { type BudgetLimits, BudgetRemoved, BudgetSet } from '#events/billing/budget.events.js';
import { type AccountCommand } from '../account.decider.js';
import { ACCOUNT, OPENED_AT, place, type Tokens } from '../account.fixture.js';
import { type BudgetChanger } from './budget.rules.js';

/** The budgets in the specs of billing. */
export const KEY = '2b9ac6a26d6d9ca1';
export const OTHER_KEY = 'c0ffee0000000001';

type Command<Type> = Extract<AccountCommand, { readonly type: Type }>;

const NO_LIMITS: BudgetLimits = {
  dayMicroUsd: null,
  monthMicroUsd: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
};

interface BudgetOptions {
  readonly key?: string;
  readonly alertPercents?: number[];
  readonly setAt?: string;
  readonly by?: BudgetChanger;
}

const BY_ACCOUNT: BudgetChanger = { owner: 'account' };

export const setBudget = (
  limits: Partial<BudgetLimits>,
  { key, alertPercents = [], setAt = OPENED_AT, by = BY_ACCOUNT }: BudgetOptions = {},
): Command<'SetBudget'> => ({
  type: 'SetBudget',
  data: {
    accountId: ACCOUNT,
    ...(key !== undefined && { key }),
    limits: { ...NO_LIMITS, ...limits },
    alertPercents,
    setAt,
  },
  by,
});

export const budgetSet = (...terms: Parameters<typeof setBudget>): BudgetSet => {
  const { data, by } = setBudget(...terms);
  return BudgetSet.of({ ...data, owner: by.owner });
};

export const removeBudget = (
  key?: string,
  removedAt = OPENED_AT,
  by = BY_ACCOUNT,
): Command<'RemoveBudget'> => ({
  type: 'RemoveBudget',
  data: { accountId: ACCOUNT, ...(key !== undefined && { key }), removedAt },
  by,
});

export const budgetRemoved = (...terms: Parameters<typeof removeBudget>): BudgetRemoved =>
  BudgetRemoved.of(removeBudget(...terms).data);

interface AskOptions {
  readonly holdId?: string;
  readonly outputAtLeast?: number | null;
  readonly key?: string;
  readonly at?: string;
  readonly expiresAt?: string;
  readonly paced?: boolean;
}

/** A hold that a key asks for at an instant. */
export const ask = (
  tokens: Tokens,
  { key, at, expiresAt, paced = true, holdId, outputAtLeast }: AskOptions = {},
): Command<'PlaceHold'> => {
  const { data } = place(tokens, {
    ...(holdId !== undefined && { holdId }),
    ...(outputAtLeast !== undefined && { outputAtLeast }),
  });
  return {
    type: 'PlaceHold',
    data: {
      ...data,
      paced,
      ...(key !== undefined && { key }),
      ...(at !== undefined && { placedAt: at }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
};
