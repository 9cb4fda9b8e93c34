import { type BudgetLimits, BudgetRemoved, BudgetSet } from '#events/billing/budget.events.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type AccountCommand, accountDecider } from '../account.decider.js';
import { ACCOUNT, deposit, open, OPENED_AT, place, type Tokens } from '../account.fixture.js';
import { type BudgetChanger } from './budget.rules.js';
import { type BudgetSubject, type Spender } from './budget.state.js';

/** The budgets in the specs of billing. */
export const KEY = '2b9ac6a26d6d9ca1';
export const OTHER_KEY = 'c0ffee0000000001';

type Command<Type> = Extract<AccountCommand, { readonly type: Type }>;

const NO_LIMITS: BudgetLimits = {
  dayMicroUsd: null,
  weekMicroUsd: null,
  monthMicroUsd: null,
  totalMicroUsd: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
};

interface BudgetOptions extends BudgetSubject {
  readonly alertPercents?: number[];
  readonly setAt?: string;
  readonly by?: BudgetChanger;
}

const BY_ACCOUNT: BudgetChanger = { owner: 'account' };

export const setBudget = (
  limits: Partial<BudgetLimits>,
  { alertPercents = [], setAt = OPENED_AT, by = BY_ACCOUNT, ...subject }: BudgetOptions = {},
): Command<'SetBudget'> => ({
  type: 'SetBudget',
  data: {
    accountId: ACCOUNT,
    ...subject,
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

interface AskOptions extends Spender {
  readonly holdId?: string;
  readonly outputAtLeast?: number | null;
  readonly at?: string;
  readonly expiresAt?: string;
  readonly paced?: boolean;
}

/** A hold that a key asks for at an instant. */
export const ask = (
  tokens: Tokens,
  { at, expiresAt, paced = true, holdId, outputAtLeast, ...spender }: AskOptions = {},
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
      ...spender,
      ...(at !== undefined && { placedAt: at }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
};

const { decide, evolve, initialState } = accountDecider;

/** The state after commands that are all accepted. */
export const after = (...commands: readonly AccountCommand[]) =>
  [open, deposit(1_000_000), ...commands].reduce(
    (state, command) => decide(command, state).reduce(evolve, state),
    initialState,
  );

/** The types of its events, or the code and the metadata of its rejection. */
export const outcomeOf = (command: AccountCommand, state: ReturnType<typeof after>) => {
  try {
    return decide(command, state).map(({ type }) => type);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code as unknown, ...error.metadata };
  }
};

export const decided = (
  command: AccountCommand,
  state: ReturnType<typeof after>,
): readonly AccountEvent[] => decide(command, state);
