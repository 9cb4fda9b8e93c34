import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type Projections } from '#platform/runtime/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { chargesByMinute, chargesKey } from '#projections/billing/charges-by-minute.projection.js';

const HOUR_MS = 3_600_000;
/** The burn rate looks back this far; to the minute in which the window starts. */
export const BURN_WINDOW_HOURS = 24;

export interface AccountTelemetry {
  /** Deposits less charges. */
  readonly balance: MicroUsd;
  /** Balance less open holds: what the next hold may use. */
  readonly available: MicroUsd;
  readonly held: MicroUsd;
  readonly openHolds: number;
  readonly deposited: MicroUsd;
  readonly chargedInference: MicroUsd;
  readonly chargedCompute: MicroUsd;
  /** Charges of the window, and the hours that it spans. */
  readonly chargedInWindow: MicroUsd;
  readonly windowHours: number;
  readonly position: bigint;
}

/** What an account has and how fast it spends, as of the log's head. */
export class AccountOverviewQuery extends Query<AccountTelemetry> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(AccountOverviewQuery)
export class AccountOverviewHandler implements IQueryHandler<AccountOverviewQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId }: AccountOverviewQuery): Promise<AccountTelemetry> {
    const from = new Date(this.clock.now() - BURN_WINDOW_HOURS * HOUR_MS).toISOString();
    const [overview, window] = await Promise.all([
      this.projections.get(accountOverview, accountId),
      this.projections.list(chargesByMinute, {
        prefix: `${accountId}/`,
        from: chargesKey(accountId, from),
        limit: BURN_WINDOW_HOURS * 60 + 1,
      }),
    ]);
    const found = overview.document ?? accountOverview.initial(accountId);
    const deposited = fromDecimal(found.deposited);
    const chargedInference = fromDecimal(found.charged.inference);
    const chargedCompute = fromDecimal(found.charged.compute);
    return {
      balance: deposited - chargedInference - chargedCompute,
      available: fromDecimal(found.available),
      held: fromDecimal(found.held),
      openHolds: found.openHolds,
      deposited,
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
