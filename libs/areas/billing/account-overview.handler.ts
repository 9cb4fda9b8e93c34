import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { chargesByMinute, chargesKey } from '#projections/billing/charges-by-minute.projection.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The burn rate looks back this far; to the minute in which the window starts. */
export const BURN_WINDOW_HOURS = 24;

export interface AccountTelemetry {
  /** Deposits less charges plus adjustments. */
  readonly balance: MicroUsd;
  /** Balance less open holds: what the next hold may use. */
  readonly available: MicroUsd;
  readonly held: MicroUsd;
  readonly openHolds: number;
  readonly deposited: MicroUsd;
  /** Given back less charged in addition. */
  readonly adjusted: MicroUsd;
  readonly chargedInference: MicroUsd;
  readonly chargedCompute: MicroUsd;
  /** Charges of the window, and the hours that it spans. */
  readonly chargedInWindow: MicroUsd;
  readonly windowHours: number;
  readonly position: bigint;
}

/** The balance of an account and its rate of spending, as of the log's head or a past state. */
export class AccountOverviewQuery extends Query<AccountTelemetry> {
  constructor(
    readonly accountId: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(AccountOverviewQuery)
export class AccountOverviewHandler implements IQueryHandler<AccountOverviewQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  async execute({ accountId, asOf }: AccountOverviewQuery): Promise<AccountTelemetry> {
    const reader = await this.projections.at(asOf);
    const from = new Date(reader.readAt - BURN_WINDOW_HOURS * HOUR_MS).toISOString();
    // A past state has later charges behind it.
    const to = new Date(reader.readAt + MINUTE_MS).toISOString();
    const [overview, window] = await Promise.all([
      reader.get(accountOverview, accountId),
      reader.list(chargesByMinute, {
        prefix: `${accountId}/`,
        from: chargesKey(accountId, from),
        before: chargesKey(accountId, to),
        limit: BURN_WINDOW_HOURS * 60 + 1,
      }),
    ]);
    const found = overview.document ?? accountOverview.initial(accountId);
    const deposited = fromDecimal(found.deposited);
    const adjusted = fromDecimal(found.adjusted);
    const chargedInference = fromDecimal(found.charged.inference);
    const chargedCompute = fromDecimal(found.charged.compute);
    return {
      balance: deposited - chargedInference - chargedCompute + adjusted,
      available: fromDecimal(found.available),
      held: fromDecimal(found.held),
      openHolds: found.openHolds,
      deposited,
      adjusted,
      chargedInference,
      chargedCompute,
      chargedInWindow: window.documents.reduce(
        (sum, { document }) => sum + fromDecimal(document.charged),
        0n,
      ),
      windowHours: BURN_WINDOW_HOURS,
      position: overview.position,
    };
  }
}
