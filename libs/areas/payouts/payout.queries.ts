import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { NO_BALANCE, payeeBalances } from '#projections/payouts/payee-balances.projection.js';
import { openPayouts, type Payout, payouts } from '#projections/payouts/payouts.projection.js';

export interface PayeeAmounts {
  readonly accrued: MicroUsd;
  /** Asked for, and neither paid nor rejected. */
  readonly open: MicroUsd;
  readonly paid: MicroUsd;
  readonly withheld: MicroUsd;
  /** The amount that can be asked for; below zero after corrections. */
  readonly available: MicroUsd;
}

export interface PayoutPage {
  readonly payouts: readonly Payout[];
  readonly total: number;
  readonly position: bigint;
}

export interface PayeePage extends PayoutPage {
  readonly balance: PayeeAmounts;
}

/** A page of the payouts of a beneficiary, newest first, and its balance. */
export class PayoutsQuery extends Query<PayeePage> {
  constructor(
    readonly beneficiary: Beneficiary,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(PayoutsQuery)
export class PayoutsHandler implements IQueryHandler<PayoutsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ beneficiary, page, limit, asOf }: PayoutsQuery): Promise<PayeePage> {
    const reader = await this.projections.at(asOf);
    const prefix = `${beneficiary}/`;
    const { documents, total, position } = await numberedPage(reader, payouts, {
      prefix,
      direction: 'backwards',
      page,
      limit,
    });
    const { document = NO_BALANCE } = await reader.get(payeeBalances, beneficiary);
    const accrued = fromDecimal(document.accrued);
    const open = fromDecimal(document.open);
    const paid = fromDecimal(document.paid);
    const withheld = fromDecimal(document.withheld);
    const balance = { accrued, open, paid, withheld, available: accrued - open - paid };
    const found = documents.flatMap(({ document: { payout } }) => payout ?? []);
    return { payouts: found, total, position, balance };
  }
}

/** A page of the payouts that wait for an Admin, oldest first. */
export class OpenPayoutsQuery extends Query<PayoutPage> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(OpenPayoutsQuery)
export class OpenPayoutsHandler implements IQueryHandler<OpenPayoutsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ page, limit, asOf }: OpenPayoutsQuery): Promise<PayoutPage> {
    const reader = await this.projections.at(asOf);
    const { documents, total, position } = await numberedPage(reader, openPayouts, { page, limit });
    const found = documents.flatMap(({ document: { payout } }) => payout ?? []);
    return { payouts: found, total, position };
  }
}
