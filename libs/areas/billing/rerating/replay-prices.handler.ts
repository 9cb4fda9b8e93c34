import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { type RepriceOrder, RepriceCharges } from './reprice-charges.js';
import { type RepricedAccount } from './repricing.js';

export interface PriceReplay {
  readonly accounts: readonly RepricedAccount[];
  readonly position: bigint;
}

/** The sum of past charges at the prices of another card; nothing is written. */
export class ReplayPricesQuery extends Query<PriceReplay> {
  constructor(
    readonly order: RepriceOrder,
    /** ISO 8601 UTC, inclusive. */
    readonly from: string,
    /** ISO 8601 UTC, exclusive. */
    readonly to: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

/** A replay is free and reads all events of the account: an account has one at a time. */
export const TURNS = { total: 2, perAccount: 1, reserve: 1, waitingMax: 4, waitMsMax: 10_000 };

@QueryHandler(ReplayPricesQuery)
export class ReplayPricesHandler implements IQueryHandler<ReplayPricesQuery> {
  readonly #turns = new AccountTurns(TURNS, () => tooMany());

  constructor(
    private readonly charges: RepriceCharges,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
  ) {}

  async execute({ order, from, to, asOf }: ReplayPricesQuery): Promise<PriceReplay> {
    const until = asOf && (await this.projections.at(asOf)).position;
    const replay = () =>
      this.charges.run(
        { ...order, ...(until !== undefined && { until }) },
        ({ type, data }) =>
          type === 'HoldCaptured' && data.capturedAt >= from && data.capturedAt < to,
      );
    return this.#turns.run(order.accountId ?? ALL, replay);
  }
}

/** Of a replay of every account. */
const ALL = '';

const tooMany = (): DomainError =>
  new DomainError<BillingErrorCode>(
    'too_many_replays',
    'too many replays of the account wait; try again',
  );
