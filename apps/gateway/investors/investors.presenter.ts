import {
  type InvestorDashboard,
  type InvestorRig,
  type InvestorRigs,
  type Revenue,
  type RevenuePage,
} from '#areas/investors/investor.queries.js';
import { type RigTemperature } from '#areas/investors/rig-thermals.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type RigShare } from '#projections/investors/rig-shares.projection.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type InvestorDashboardDto,
  type InvestorRigDto,
  type InvestorRigsDto,
  type RigAllocationDto,
  type RevenueListDto,
  type RevenuePageDto,
} from './investors.dto.js';

const BASIS_POINTS_PER_PERCENT = 100;

const presentRevenue = ({ gross, net }: Revenue) => ({
  gross_revenue_usd: toUsd(gross),
  net_revenue_usd: toUsd(net),
});

export const presentDashboard = (dashboard: InvestorDashboard): InvestorDashboardDto => ({
  success: true,
  investor_id: dashboard.investorId,
  portfolio_summary: {
    total_valuation_usd: toUsd(dashboard.valuation),
    allocated_gpus: dashboard.gpus,
    active_nodes_count: dashboard.activeNodes,
    nodes_count: dashboard.nodes,
    apy_annualized_pct: dashboard.apyPercent,
    currency: 'USD',
  },
  yield_metrics: {
    last_24h: presentRevenue(dashboard.last24Hours),
    last_30d: presentRevenue(dashboard.last30Days),
    lifetime: presentRevenue(dashboard.lifetime),
  },
  accrued_through: dashboard.accruedThrough,
  position: dashboard.position.toString(),
});

/** The current state of a rig. */
export interface RigState {
  readonly isInCatalog: boolean;
  readonly temperatures: readonly RigTemperature[] | null;
}

export const presentNodes = (
  investorId: number,
  { nodes, position }: InvestorRigs,
  stateOf: (rig: string) => RigState,
): InvestorRigsDto => ({
  success: true,
  investor_id: investorId,
  nodes: nodes.map((node) => presentNode(node, stateOf(node.rig))),
  position: position.toString(),
});

const presentNode = (
  { rig, held, ended, last30Days, lifetime, lastHour }: InvestorRig,
  { isInCatalog, temperatures }: RigState,
): InvestorRigDto => ({
  name: rig,
  status: held.length > 0 ? 'allocated' : 'ended',
  is_in_catalog: isInCatalog,
  share_pct:
    held.reduce((sum, { allocated }) => sum + allocated.shareBasisPoints, 0) /
    BASIS_POINTS_PER_PERCENT,
  gpus: held.reduce((sum, { allocated }) => sum + allocated.gpus, 0),
  allocations: [...held, ...ended].map(presentAllocation),
  temperatures:
    temperatures?.map(({ device, celsius, measuredAt }) => ({
      device,
      celsius,
      measured_at: measuredAt,
    })) ?? null,
  last_30d: presentRevenue(last30Days),
  lifetime: presentRevenue(lifetime),
  charges: lifetime.charges,
  last_charged_hour: lastHour && `${lastHour}:00:00.000Z`,
});

const presentAllocation = ({ allocated, endedAt }: RigShare): RigAllocationDto => ({
  allocation_id: allocated.allocationId,
  share_pct: allocated.shareBasisPoints / BASIS_POINTS_PER_PERCENT,
  platform_fee_pct: allocated.platformFeeBasisPoints / BASIS_POINTS_PER_PERCENT,
  gpus: allocated.gpus,
  purchase_price_usd: toUsd(fromDecimal(allocated.purchasePriceMicroUsd)),
  purchased_on: allocated.purchasedOn,
  allocated_at: allocated.allocatedAt,
  ended_at: endedAt,
});

export const presentRevenuePage = (
  investorId: number,
  query: RevenuePageDto,
  found: RevenuePage,
): RevenueListDto => ({
  ...presentPage(query, found),
  investor_id: investorId,
  revenue: found.days.map(({ day, rig, charges, gross, net }) => ({
    date: day,
    node: rig,
    charges,
    ...presentRevenue({ gross, net }),
    deductions_usd: toUsd(gross - net),
  })),
});
