import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import {
  type DocumentReader,
  type Projections,
} from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  dayPrefix,
  hourPrefix,
  type RigRevenue,
  rigRevenue,
  rigPrefix,
} from '#projections/investors/rig-revenue.projection.js';
import {
  investorKey,
  type RigShare,
  rigShares,
} from '#projections/investors/rig-shares.projection.js';
import { ACCRUALS_KEY, accruals } from '#projections/payouts/accruals.projection.js';
import { apyPercentOf, valuationOf, YIELD_DAYS } from './portfolio.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** More shares of one investor are not read. */
export const SHARES_MAX = 10_000;

export interface Revenue {
  readonly gross: MicroUsd;
  readonly net: MicroUsd;
}

export interface InvestorDashboard {
  readonly investorId: UserId;
  readonly valuation: MicroUsd;
  readonly gpus: number;
  /** Rigs with a share that is held, and with a charge in the last 24 hours. */
  readonly activeNodes: number;
  readonly nodes: number;
  readonly apyPercent: number | null;
  readonly last24Hours: Revenue;
  readonly last30Days: Revenue;
  readonly lifetime: Revenue;
  /** The log position up to which charges are divided. */
  readonly accruedThrough: string;
  readonly position: bigint;
}

/**
 * The shares and the earnings of an investor. Windows of time begin with the hour in which they
 * begin.
 */
export class InvestorDashboardQuery extends Query<InvestorDashboard> {
  constructor(
    readonly investorId: UserId,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(InvestorDashboardQuery)
export class InvestorDashboardHandler implements IQueryHandler<InvestorDashboardQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ investorId, asOf }: InvestorDashboardQuery): Promise<InvestorDashboard> {
    const reader = await this.projections.at(asOf);
    const now = reader.readAt;
    const [{ shares, position }, rigs, hours, accrued] = await Promise.all([
      sharesOf(reader, investorId),
      rigsOf(reader, investorId),
      hoursOf(reader, investorId, hourOf(now - YIELD_DAYS * DAY_HOURS * HOUR_MS)),
      reader.get(accruals, ACCRUALS_KEY),
    ]);
    const held = shares.filter(({ endedAt }) => endedAt === null);
    const nodes = new Set(held.map(({ allocated }) => allocated.rig));
    const yesterday = hourOf(now - DAY_HOURS * HOUR_MS);
    const last30Days = sumOf(hours);
    return {
      investorId,
      valuation: valuationOf(held),
      gpus: held.reduce((sum, { allocated }) => sum + allocated.gpus, 0),
      activeNodes: rigs.filter(({ of, lastHour }) => nodes.has(of) && lastHour >= yesterday).length,
      nodes: nodes.size,
      apyPercent: apyPercentOf(shares, last30Days.net, now),
      last24Hours: sumOf(hours.filter(({ of }) => of >= yesterday)),
      last30Days,
      lifetime: sumOf(rigs),
      accruedThrough: accrued.document?.through ?? '0',
      position,
    };
  }
}

/** A rig of which an investor holds or held shares. */
export interface InvestorRig {
  readonly rig: string;
  /** Those that are held. */
  readonly held: readonly RigShare[];
  readonly ended: readonly RigShare[];
  readonly last30Days: Revenue;
  readonly lifetime: Revenue & { readonly charges: number };
  /** The last hour with a charge, `YYYY-MM-DDTHH` in UTC; null for none. */
  readonly lastHour: string | null;
}

export interface InvestorRigs {
  readonly nodes: readonly InvestorRig[];
  readonly position: bigint;
}

/** The rigs of which an investor holds or held shares, by name. */
export class InvestorRigsQuery extends Query<InvestorRigs> {
  constructor(
    readonly investorId: UserId,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(InvestorRigsQuery)
export class InvestorRigsHandler implements IQueryHandler<InvestorRigsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ investorId, asOf }: InvestorRigsQuery): Promise<InvestorRigs> {
    const reader = await this.projections.at(asOf);
    const firstDay = dayOf(reader.readAt - (YIELD_DAYS - 1) * DAY_HOURS * HOUR_MS);
    const [{ shares, position }, rigs, days] = await Promise.all([
      sharesOf(reader, investorId),
      rigsOf(reader, investorId),
      daysFrom(reader, investorId, firstDay),
    ]);
    const names = [...new Set(shares.map(({ allocated }) => allocated.rig))].toSorted();
    const nodes = names.map((rig) => {
      const own = shares.filter(({ allocated }) => allocated.rig === rig);
      const total = rigs.find(({ of }) => of === rig);
      return {
        rig,
        held: own.filter(({ endedAt }) => endedAt === null),
        ended: own.filter(({ endedAt }) => endedAt !== null),
        last30Days: sumOf(days.filter((day) => day.rig === rig)),
        lifetime: { ...sumOf(total ? [total] : []), charges: total?.charges ?? 0 },
        lastHour: total?.lastHour ?? null,
      };
    });
    return { nodes, position };
  }
}

export interface DailyRevenue extends Revenue {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly rig: string;
  readonly charges: number;
}

export interface RevenuePage {
  /** Newest first. */
  readonly days: readonly DailyRevenue[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the earnings of each rig for an investor on each day. */
export class InvestorRevenueQuery extends Query<RevenuePage> {
  constructor(
    readonly investorId: UserId,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(InvestorRevenueQuery)
export class InvestorRevenueHandler implements IQueryHandler<InvestorRevenueQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ investorId, page, limit, asOf }: InvestorRevenueQuery): Promise<RevenuePage> {
    const reader = await this.projections.at(asOf);
    const prefix = dayPrefix(investorId);
    const { documents, total, position } = await numberedPage(reader, rigRevenue, {
      prefix,
      direction: 'backwards',
      page,
      limit,
    });
    const days = documents.map(({ document }) => ({
      day: document.of,
      rig: document.rig ?? '',
      charges: document.charges,
      ...sumOf([document]),
    }));
    return { days, total, position };
  }
}

const hourOf = (epochMs: number): string =>
  new Date(epochMs).toISOString().slice(0, 'YYYY-MM-DDTHH'.length);

const dayOf = (epochMs: number): string =>
  new Date(epochMs).toISOString().slice(0, 'YYYY-MM-DD'.length);

const sharesOf = async (reader: DocumentReader, investorId: UserId) => {
  const prefix = `${investorKey(investorId)}/`;
  const { documents, position } = await reader.list(rigShares, { prefix, limit: SHARES_MAX });
  return { shares: documents.flatMap(({ document: { share } }) => share ?? []), position };
};

const rigsOf = async (
  reader: DocumentReader,
  investorId: UserId,
): Promise<readonly RigRevenue[]> => {
  const options = { prefix: rigPrefix(investorId), limit: SHARES_MAX };
  const { documents } = await reader.list(rigRevenue, options);
  return documents.map(({ document }) => document);
};

const hoursOf = async (
  reader: DocumentReader,
  investorId: UserId,
  from: string,
): Promise<readonly RigRevenue[]> => {
  const prefix = hourPrefix(investorId);
  const { documents } = await reader.list(rigRevenue, { prefix, from: `${prefix}${from}` });
  return documents.map(({ document }) => document);
};

const daysFrom = async (
  reader: DocumentReader,
  investorId: UserId,
  day: string,
): Promise<readonly RigRevenue[]> => {
  const prefix = dayPrefix(investorId);
  const options = { prefix, from: `${prefix}${day}`, limit: SHARES_MAX };
  const { documents } = await reader.list(rigRevenue, options);
  return documents.map(({ document }) => document);
};

const sumOf = (revenue: readonly RigRevenue[]): Revenue => ({
  gross: revenue.reduce((sum, { gross }) => sum + fromDecimal(gross), 0n),
  net: revenue.reduce((sum, { net }) => sum + fromDecimal(net), 0n),
});
