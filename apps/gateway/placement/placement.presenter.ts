import { type MadePlacement } from '#areas/placement/place-stages.handler.js';
import { type FoundPlacement, type PlacementPage } from '#areas/placement/placement.queries.js';
import { type PlacedLink, type StagesPlaced } from '#events/placement/placement.events.js';
import { type Placement } from '#projections/placement/placements.projection.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type PlacementAnswerDto,
  type PlacementDto,
  type PlacementListDto,
  type PlacementResultDto,
  type PlacementsPageDto,
} from './placement.dto.js';

const KILOBITS_PER_GIGABIT = 1_000_000;

const gbpsOf = ({ kilobitsPerSecond }: PlacedLink): number | null =>
  kilobitsPerSecond === null ? null : kilobitsPerSecond / KILOBITS_PER_GIGABIT;

/** Null without links, and where one of them was not measured. */
const slowestOf = (links: readonly PlacedLink[]): number | null => {
  const speeds = links.map(gbpsOf);
  const measured = speeds.filter((speed) => speed !== null);
  return measured.length === 0 || measured.length < speeds.length ? null : Math.min(...measured);
};

const presentStages = ({
  ppDegree,
  tpDegree,
  shards,
  links,
}: StagesPlaced['data'] | Placement) => ({
  pp_degree: ppDegree,
  tp_degree: tpDegree,
  stages_allocated: shards.length,
  cross_node_bandwidth_gbps: slowestOf(links),
  shards: shards.map(({ memoryBytes, ...shard }) => ({ ...shard, memory_bytes: memoryBytes })),
  links: links.map((link) => ({ from: link.from, to: link.to, bandwidth_gbps: gbpsOf(link) })),
});

export const presentResult = ({ placement, position }: MadePlacement): PlacementResultDto => ({
  status: 'orchestrated',
  job_id: placement.placementId,
  ...presentStages(placement),
  expires_at: placement.expiresAt,
  position: position.toString(),
});

const presentPlacement = (placement: Placement): PlacementDto => ({
  job_id: placement.placementId,
  status: placement.status,
  model: placement.model,
  memory_bytes: placement.memoryBytes,
  ...presentStages(placement),
  placed_at: placement.placedAt,
  expires_at: placement.expiresAt,
  ended_at: placement.endedAt,
});

export const presentAnswer = ({ placement, position }: FoundPlacement): PlacementAnswerDto => ({
  success: true,
  placement: presentPlacement(placement),
  position: position.toString(),
});

export const presentPlacements = (
  query: PlacementsPageDto,
  found: PlacementPage,
): PlacementListDto => ({
  ...presentPage(query, found),
  placements: found.placements.map(presentPlacement),
});
