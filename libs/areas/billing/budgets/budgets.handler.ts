import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Accounts, ACCOUNTS, accountStream } from '../accounts.js';
import { type Budget, budgetAt, subjectOf } from './budget.state.js';

/** A budget in the windows of now. */
export interface BudgetView extends Budget {
  /** See `subjectOf`. */
  readonly id: string;
  /** The id under which the key counts; null unless it is the budget of a key. */
  readonly key: string | null;
}

export interface BudgetsView {
  /** The account's own first. */
  readonly budgets: readonly BudgetView[];
  /** The log position that this reflects. */
  readonly position: bigint;
}

/** The rest of the budgets of an account, as the next decision sees it. */
export class BudgetsQuery extends Query<BudgetsView> {
  constructor(readonly accountId: string) {
    super();
  }
}

/** Reads the stream of the account and no read model: these are the numbers that decide. */
@QueryHandler(BudgetsQuery)
export class BudgetsHandler implements IQueryHandler<BudgetsQuery> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId }: BudgetsQuery): Promise<BudgetsView> {
    const { state, position } = await this.accounts.stateOf(accountStream(accountId));
    const now = instant(this.clock);
    const budgets = [...state.budgets.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, budget]) => ({
        ...budgetAt(budget, now),
        id,
        key: subjectOf(id).key ?? null,
      }));
    return { budgets, position };
  }
}
