import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { PICO_USD_PER_MICRO_USD, type PicoUsd } from '#platform/kernel/pico-usd.js';
import {
  byGroup,
  dayAfter,
  type Grouped,
  type Period,
  periodFault,
  sizeFault,
} from '#platform/kernel/report.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Margin, margins } from '#projections/costs/margins.projection.js';
import { type CostsErrorCode } from './costs.errors.js';
import { type MarginGroup } from './margin-groups.js';

/** Of days in UTC. */
export interface MarginOrder extends Period {
  /** In the order of `MARGIN_GROUPS`. None: one row. */
  readonly by: readonly MarginGroup[];
  /** Only of this account. */
  readonly accountId?: string;
  /** Only of these rigs. */
  readonly rigs?: readonly string[];
}

export interface MarginRow extends Grouped<MarginGroup> {
  readonly charges: number;
  readonly chargedMicroUsd: MicroUsd;
  readonly attempts: number;
  readonly stated: number;
  readonly computed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the attempts whose cost is known; null where none is. */
  readonly costPicoUsd: PicoUsd | null;
  /** Charged less cost; null where no cost is known. */
  readonly marginPicoUsd: PicoUsd | null;
}

export interface MarginReport {
  readonly rows: readonly MarginRow[];
  readonly position: bigint;
}

/** Charges and costs, for the operator only. */
export class MarginQuery extends Query<MarginReport> {
  constructor(
    readonly order: MarginOrder,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

/** @throws DomainError `invalid_period` */
const demandPeriod = (period: Period): void => {
  const fault = periodFault(period);
  if (fault !== null) throw new DomainError<CostsErrorCode>('invalid_period', fault);
};

@QueryHandler(MarginQuery)
export class MarginHandler implements IQueryHandler<MarginQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ order, asOf }: MarginQuery): Promise<MarginReport> {
    demandPeriod(order);
    const reader = await this.projections.at(asOf);
    const range = { from: order.from, before: dayAfter(order.to) };
    const sums = new Map<string, Sum>();
    let read = 0;
    let position: bigint | undefined;
    for await (const page of projectionPages(reader, margins, range)) {
      position ??= page.position;
      read += page.documents.length;
      for (const { document } of page.documents) add(sums, document, order);
      demandSize(read, sums.size);
    }
    const rows = [...sums.values()].map(rowOf).toSorted(byGroup(order.by));
    return { rows, position: position ?? 0n };
  }
}

/** @throws DomainError `margin_too_large` */
const demandSize = (documents: number, rows: number): void => {
  const fault = sizeFault(documents, rows);
  if (fault !== null) throw new DomainError<CostsErrorCode>('margin_too_large', fault);
};

interface Sum extends Pick<MarginRow, 'group'> {
  charges: number;
  charged: bigint;
  attempts: number;
  stated: number;
  computed: number;
  inputTokens: number;
  outputTokens: number;
  cost: bigint;
}

const add = (sums: Map<string, Sum>, margin: Margin, order: MarginOrder): void => {
  if (order.accountId !== undefined && margin.accountId !== order.accountId) return;
  if (order.rigs && (margin.rig === null || !order.rigs.includes(margin.rig))) return;
  const group = Object.fromEntries(order.by.map((by) => [by, GROUP_OF[by](margin)]));
  const key = JSON.stringify(group);
  const sum = sums.get(key) ?? {
    group,
    charges: 0,
    charged: 0n,
    attempts: 0,
    stated: 0,
    computed: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0n,
  };
  sum.charges += margin.charges;
  sum.charged += fromDecimal(margin.charged);
  sum.attempts += margin.attempts;
  sum.stated += margin.stated;
  sum.computed += margin.computed;
  sum.inputTokens += margin.inputTokens;
  sum.outputTokens += margin.outputTokens;
  sum.cost += fromDecimal(margin.cost);
  sums.set(key, sum);
};

const GROUP_OF: Readonly<Record<MarginGroup, (margin: Margin) => string | null>> = {
  day: ({ day }) => day,
  account: ({ accountId }) => accountId,
  rig: ({ rig }) => rig,
  model: ({ model }) => model,
  sent: ({ sent }) => sent,
};

const rowOf = ({ charged, cost, ...sum }: Sum): MarginRow => {
  const isKnown = sum.stated + sum.computed > 0;
  return {
    ...sum,
    chargedMicroUsd: charged,
    costPicoUsd: isKnown ? cost : null,
    marginPicoUsd: isKnown ? charged * PICO_USD_PER_MICRO_USD - cost : null,
  };
};
