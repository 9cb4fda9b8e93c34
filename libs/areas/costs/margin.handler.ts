import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { PICO_USD_PER_MICRO_USD, type PicoUsd } from '#platform/kernel/pico-usd.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Margin, margins } from '#projections/costs/margins.projection.js';
import { type CostsErrorCode } from './costs.errors.js';
import { type MarginGroup } from './margin-groups.js';

/** Days of one report. */
export const DAYS_MAX = 366;
/** Documents that one report reads: one for each day, account, rig and model. */
export const DOCUMENTS_MAX = 200_000;
/** Rows of one report. */
export const ROWS_MAX = 10_000;

const DAY_MS = 86_400_000;

export interface MarginOrder {
  /** Days in UTC, `YYYY-MM-DD`, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** In the order of `MARGIN_GROUPS`. None: one row. */
  readonly by: readonly MarginGroup[];
  /** Only of this account. */
  readonly accountId?: string;
  /** Only of these rigs. */
  readonly rigs?: readonly string[];
}

export interface MarginRow {
  /** Undefined where the report is not by it; null where the work has none. */
  readonly group: Readonly<Partial<Record<MarginGroup, string | null>>>;
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
export const demandPeriod = ({ from, to }: Pick<MarginOrder, 'from' | 'to'>): void => {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= DAYS_MAX) return;
  throw new DomainError<CostsErrorCode>(
    'invalid_period',
    `from: expected a day at most ${DAYS_MAX - 1} days before ${to} and not after it, ` +
      `received ${from}`,
  );
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

const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, day.length);

/** @throws DomainError `margin_too_large` */
const demandSize = (documents: number, rows: number): void => {
  if (documents <= DOCUMENTS_MAX && rows <= ROWS_MAX) return;
  throw new DomainError<CostsErrorCode>(
    'margin_too_large',
    `the report has over ${ROWS_MAX} rows or reads over ${DOCUMENTS_MAX} sums: ` +
      'ask for fewer days or group by less',
  );
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

const byGroup =
  (by: readonly MarginGroup[]) =>
  (one: MarginRow, other: MarginRow): number => {
    const [mine, theirs] = [one, other].map(({ group }) =>
      by.map((name) => group[name] ?? '').join('\n'),
    );
    return (mine ?? '') < (theirs ?? '') ? -1 : 1;
  };
