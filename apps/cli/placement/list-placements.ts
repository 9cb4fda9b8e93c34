import { PlacementsQuery } from '#areas/placement/placement.queries.js';
import { type Placement, placements } from '#projections/placement/placements.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';

export interface ListPlacementsOptions extends CommonOptions {
  readonly user?: string;
  readonly page: number;
  readonly limit: number;
}

/** `identity` opens accounts, which are of `billing`. */
export const PLACEMENT_NEEDS = {
  areas: ['identity', 'billing', 'placement'],
  installation: 'exists',
  projections: [placements],
} as const;

export const listPlacements = async (
  { user, page, limit }: ListPlacementsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const found = await withQuipu(invocation, PLACEMENT_NEEDS, async ({ queries }) => {
    const accountId = user === undefined ? null : await accountOf({ queries }, user);
    return queries.execute(new PlacementsQuery(accountId, page, limit));
  });
  const header = ['ID', 'ACCOUNT', 'STATUS', 'PP', 'TP', 'RIGS', 'EXPIRES'];
  const rows = found.placements.map((placement) => [
    String(placement.placementId),
    placement.accountId,
    placement.status,
    String(placement.ppDegree),
    String(placement.tpDegree),
    String(rigsOf(placement).length),
    placement.expiresAt,
  ]);
  return {
    json: { placements: found.placements.map(fieldsOf), page, total_records: found.total },
    text: listText({ noun: 'placements', header, rows }),
  };
};

const rigsOf = ({ shards }: Placement): readonly string[] => [
  ...new Set(shards.map(({ rig }) => rig)),
];

const fieldsOf = (placement: Placement) => ({
  job_id: placement.placementId,
  account_id: placement.accountId,
  status: placement.status,
  model: placement.model,
  pp_degree: placement.ppDegree,
  tp_degree: placement.tpDegree,
  memory_bytes: placement.memoryBytes,
  rigs: rigsOf(placement),
  placed_at: placement.placedAt,
  expires_at: placement.expiresAt,
  ended_at: placement.endedAt,
});
