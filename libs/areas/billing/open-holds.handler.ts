import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Accounts, ACCOUNTS, accountStream } from './accounts.js';
import { type OpenHold } from './account.state.js';

/** Holds of one answer. */
export const OPEN_HOLDS_MAX = 100;

export interface ListedHold extends Pick<
  OpenHold,
  'purpose' | 'amount' | 'placedAt' | 'expiresAt' | 'key' | 'model'
> {
  readonly holdId: string;
}

export interface OpenHoldsView {
  /** The oldest ones first: the ids of requests have their times. */
  readonly holds: readonly ListedHold[];
  readonly total: number;
  /** The log position that this reflects. */
  readonly position: bigint;
}

/** The money of an account that running work holds. */
export class OpenHoldsQuery extends Query<OpenHoldsView> {
  constructor(readonly accountId: string) {
    super();
  }
}

/** Reads the stream of the account and no read model, which would be written at each request. */
@QueryHandler(OpenHoldsQuery)
export class OpenHoldsHandler implements IQueryHandler<OpenHoldsQuery> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  async execute({ accountId }: OpenHoldsQuery): Promise<OpenHoldsView> {
    const { state, position } = await this.accounts.stateOf(accountStream(accountId));
    const holds = [...state.holds.entries()]
      .map(([holdId, hold]) => ({ holdId, ...hold }))
      .sort((one, other) => (one.holdId < other.holdId ? -1 : 1))
      .slice(0, OPEN_HOLDS_MAX);
    return { holds, total: state.holds.size, position };
  }
}
