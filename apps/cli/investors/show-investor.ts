import { InvestorRigsQuery } from '#areas/investors/investor.queries.js';
import { UserId } from '#events/vocabulary.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { rigRevenue } from '#projections/investors/rig-revenue.projection.js';
import { rigShares } from '#projections/investors/rig-shares.projection.js';
import { percentText } from '../basis-points.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';

export interface ShowInvestorOptions extends CommonOptions {
  readonly user: string;
}

/** The shares of an investor with their allocation ids, and what each rig has earned. */
export const showInvestor = async (
  { user }: ShowInvestorOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing', 'partners', 'investors', 'payouts'],
    installation: 'exists',
    projections: [rigShares, rigRevenue],
  } as const;
  const { nodes } = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return queries.execute(new InvestorRigsQuery(UserId.parse(Number(accountId))));
  });
  const rows = nodes.flatMap(({ rig, held, lifetime }) =>
    held.map(({ allocated }) => [
      rig,
      percentText(allocated.shareBasisPoints),
      allocated.allocationId,
      inUsd(lifetime.gross),
      inUsd(lifetime.net),
    ]),
  );
  return {
    json: {
      nodes: nodes.map(({ rig, held, lifetime }) => ({
        name: rig,
        allocations: held.map(({ allocated }) => ({
          allocation_id: allocated.allocationId,
          share_pct: allocated.shareBasisPoints / 100,
        })),
        gross_micro_usd: toDecimal(lifetime.gross),
        net_micro_usd: toDecimal(lifetime.net),
      })),
    },
    text:
      rows.length === 0
        ? `${user} holds no shares.`
        : inColumns([['RIG', 'SHARE', 'ALLOCATION', 'GROSS', 'NET'], ...rows]),
  };
};
