import { Map as ImmutableMap } from 'immutable';
import {
  type PlacedLink,
  type PlacementEvent,
  PlacementExpired,
  PlacementReleased,
  StagesPlaced,
} from '#events/placement/placement.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type PlacementRig } from './placement-rigs.port.js';
import { reject } from './placement.errors.js';
import { type FreeRig, stagesOn } from './rig-memory.js';
import {
  CANDIDATES_MAX,
  type LinkSpeed,
  planStages,
  type Shortage,
  type StageOrder,
} from './stage-plan.js';

/** Placements of one account at a time. */
export const PLACEMENTS_MAX = 20;

export interface PlacementOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly model: string | null;
  readonly ppDegree: number;
  readonly tpDegree: number;
  /** Of the whole pipeline. */
  readonly memoryBytes: number;
  readonly placedAt: string;
  readonly expiresAt: string;
}

export type PlacementCommand =
  | {
      readonly type: 'PlaceStages';
      readonly data: PlacementOrder & {
        readonly rigs: readonly PlacementRig[];
        /** Measured, in any direction. */
        readonly links: readonly PlacedLink[];
      };
    }
  | {
      readonly type: 'ReleasePlacement';
      readonly data: {
        readonly placementId: number;
        /** Null: the operator releases it. */
        readonly accountId: string | null;
        readonly releasedAt: string;
      };
    }
  | {
      readonly type: 'ExpirePlacement';
      readonly data: { readonly placementId: number; readonly expiredAt: string };
    };

export type OpenPlacement = StagesPlaced['data'];

export interface PlacementState {
  readonly lastId: number;
  /** By id; the placements that are neither released nor expired. */
  readonly open: ImmutableMap<number, OpenPlacement>;
}

/** The parts have one size; a rest of the division is reserved in each. */
export const stageOrderOf = ({
  ppDegree,
  tpDegree,
  memoryBytes,
}: Pick<PlacementOrder, 'ppDegree' | 'tpDegree' | 'memoryBytes'>): StageOrder => ({
  ppDegree,
  tpDegree,
  shardBytes: Math.ceil(memoryBytes / (ppDegree * tpDegree)),
});

/** The free memory of each rig, less placements that have not ended by the clock. */
export const freeRigs = (
  rigs: readonly PlacementRig[],
  { open }: PlacementState,
  at: string,
): readonly FreeRig[] => {
  const shards = [...open.values()]
    .filter(({ expiresAt }) => at < expiresAt)
    .flatMap((placement) => placement.shards);
  const reserved = (rig: string, device: number | null): number =>
    shards
      .filter((shard) => shard.rig === rig && shard.device === device)
      .reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  return rigs.map((rig) => freeRig(rig, (device) => reserved(rig.name, device)));
};

const freeRig = (
  { name, hostMemoryBytes, deviceMemoryBytes }: PlacementRig,
  reserved: (device: number | null) => number,
): FreeRig => {
  const devices = deviceMemoryBytes ?? [];
  if (devices.length === 0) {
    const freeBytes = (hostMemoryBytes ?? 0) - reserved(null);
    return { name, memories: [{ device: null, freeBytes }] };
  }
  const memories = devices.map((bytes, device) => ({
    device,
    freeBytes: bytes - reserved(device),
  }));
  return { name, memories };
};

const speedOf =
  (links: readonly PlacedLink[]): LinkSpeed =>
  (one, other) =>
    links.find(({ from, to }) => (from === one && to === other) || (from === other && to === one))
      ?.kilobitsPerSecond ?? null;

/** How many rigs without placements, each as large as the largest of these, would hold the rest. */
const missingRigs = (
  order: StageOrder,
  rigs: readonly PlacementRig[],
  missingStages: number,
): number | null => {
  const empty = rigs.map((rig) => freeRig(rig, () => 0));
  const stages = Math.max(0, ...empty.map((rig) => stagesOn(rig, order, order.ppDegree).length));
  return stages === 0 ? null : Math.ceil(missingStages / stages);
};

const infeasible = (
  order: StageOrder,
  rigs: readonly PlacementRig[],
  shortage: Shortage,
): never => {
  const { ppDegree, tpDegree, shardBytes } = order;
  const { stagesPlaceable, missingMemoryBytes, rigsUsable, rigsRegistered } = shortage;
  const stageBytes = tpDegree * shardBytes;
  const detail =
    `${ppDegree} stages of ${stageBytes} bytes on one rig each are asked for, and there is room ` +
    `for ${stagesPlaceable}: ${missingMemoryBytes} bytes are missing. ${rigsRegistered} rigs are ` +
    `registered; the ${CANDIDATES_MAX} with the most room are used, and ${rigsUsable} have any`;
  return reject('placement_infeasible', detail, {
    stages_required: ppDegree,
    stages_placeable: stagesPlaceable,
    stage_memory_bytes: stageBytes,
    shard_memory_bytes: shardBytes,
    missing_memory_bytes: missingMemoryBytes,
    missing_rigs: missingRigs(order, rigs, ppDegree - stagesPlaceable),
    rigs_registered: rigsRegistered,
    rigs_usable: rigsUsable,
  });
};

const place = (
  { rigs, links, ...order }: Extract<PlacementCommand, { readonly type: 'PlaceStages' }>['data'],
  state: PlacementState,
): readonly PlacementEvent[] => {
  const open = [...state.open.values()].filter(({ accountId }) => accountId === order.accountId);
  if (open.some(({ orderId }) => orderId === order.orderId)) return [];
  const valid = open.filter(({ expiresAt }) => order.placedAt < expiresAt);
  if (valid.length >= PLACEMENTS_MAX) {
    reject('too_many_placements', `an account has at most ${PLACEMENTS_MAX} placements at a time`);
  }
  const stages = stageOrderOf(order);
  const plan = planStages(stages, freeRigs(rigs, state, order.placedAt), speedOf(links));
  if (!('shards' in plan)) return infeasible(stages, rigs, plan);
  return [StagesPlaced.of({ ...order, ...plan, placementId: state.lastId + 1 })];
};

const decide = ({ type, data }: PlacementCommand, state: PlacementState) => {
  if (type === 'PlaceStages') return place(data, state);
  const { placementId } = data;
  const placement = state.open.get(placementId);
  switch (type) {
    case 'ReleasePlacement': {
      const isOwn = data.accountId === null || data.accountId === placement?.accountId;
      if (!placement || !isOwn) {
        return reject('placement_not_found', `there is no placement ${placementId} in force`);
      }
      const { accountId } = placement;
      return [PlacementReleased.of({ ...data, accountId })];
    }
    case 'ExpirePlacement': {
      if (!placement || data.expiredAt < placement.expiresAt) return [];
      const { accountId } = placement;
      return [PlacementExpired.of({ ...data, accountId })];
    }
  }
};

const evolve = ({ lastId, open }: PlacementState, { type, data }: PlacementEvent) => {
  const { placementId } = data;
  switch (type) {
    case 'StagesPlaced':
      return { lastId: Math.max(lastId, placementId), open: open.set(placementId, data) };
    case 'PlacementReleased':
    case 'PlacementExpired':
      return { lastId, open: open.delete(placementId) };
  }
};

/** All placements of the installation: a rig's memory is reserved once. */
export const placementDecider: Decider<PlacementCommand, PlacementState, PlacementEvent> = {
  initialState: { lastId: 0, open: ImmutableMap() },
  decide,
  evolve,
};
