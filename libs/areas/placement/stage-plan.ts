import { type PlacedLink, type PlacedShard } from '#events/placement/placement.events.js';
import { type FreeRig, type StageDevices, stagesOn, type StageSize } from './rig-memory.js';

/** A placement has rigs among this many candidates: every order of them is compared. */
export const CANDIDATES_MAX = 6;

export interface StageOrder extends StageSize {
  readonly ppDegree: number;
}

export interface StagePlan {
  readonly shards: readonly PlacedShard[];
  readonly links: readonly PlacedLink[];
}

/** Why an order cannot be placed. */
export interface Shortage {
  /** Stages for which there is room. */
  readonly stagesPlaceable: number;
  readonly missingMemoryBytes: number;
  /** Rigs with room for at least one stage, and all of them. */
  readonly rigsUsable: number;
  readonly rigsRegistered: number;
}

/** A rig with room, and where its stages would go. */
interface Candidate {
  readonly name: string;
  readonly stages: StageDevices;
}

/** The bandwidth between two rigs in any direction; null where it was not measured. */
export type LinkSpeed = (one: string, other: string) => number | null;

const byName = (one: Candidate, other: Candidate): number => (one.name < other.name ? -1 : 1);

/** The most room first. */
const byRoom = (one: Candidate, other: Candidate): number =>
  other.stages.length - one.stages.length || byName(one, other);

const roomIn = (rigs: readonly Candidate[]): number =>
  rigs.reduce((sum, { stages }) => sum + stages.length, 0);

const withRoom = (order: StageOrder, rigs: readonly FreeRig[]): readonly Candidate[] =>
  rigs
    .map((rig) => ({ name: rig.name, stages: stagesOn(rig, order, order.ppDegree) }))
    .filter(({ stages }) => stages.length > 0)
    .toSorted(byRoom);

/**
 * The rigs that a plan chooses among, so that only links between them are measured. One rig that
 * has room for all stages needs no link.
 */
export const candidatesOf = (order: StageOrder, rigs: readonly FreeRig[]): readonly Candidate[] => {
  const usable = withRoom(order, rigs);
  const alone = usable.filter(({ stages }) => stages.length >= order.ppDegree);
  if (alone.length === 0) return usable.slice(0, CANDIDATES_MAX);
  return [leastRoomOf(rigs, alone)];
};

/** Best fit: the rig that has the least memory left keeps the large rigs for large orders. */
const leastRoomOf = (rigs: readonly FreeRig[], alone: readonly Candidate[]): Candidate => {
  const freeOf = ({ name }: Candidate): number =>
    rigs
      .find((rig) => rig.name === name)
      ?.memories.reduce((sum, { freeBytes }) => sum + freeBytes, 0) ?? 0;
  return alone.reduce((best, one) => {
    const less = freeOf(one) - freeOf(best);
    return less < 0 || (less === 0 && one.name < best.name) ? one : best;
  });
};

/** Every chain of `length` of the rigs, in every order. */
function* chainsOf(
  rigs: readonly Candidate[],
  length: number,
): Generator<readonly Candidate[], void, void> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const [index, rig] of rigs.entries()) {
    for (const rest of chainsOf(rigs.toSpliced(index, 1), length - 1)) yield [rig, ...rest];
  }
}

const linksOf = (chain: readonly Candidate[], speed: LinkSpeed): readonly PlacedLink[] =>
  chain.slice(1).map(({ name: to }, index) => {
    const from = chain[index]?.name ?? '';
    return { from, to, kilobitsPerSecond: speed(from, to) };
  });

/** A link that was not measured counts as the slowest. */
const slowestOf = (links: readonly PlacedLink[]): number =>
  Math.min(...links.map(({ kilobitsPerSecond }) => kilobitsPerSecond ?? -1));

/** Each rig takes what it has room for, and leaves one stage for each rig after it. */
const shardsOf = (
  { ppDegree, shardBytes: memoryBytes }: StageOrder,
  chain: readonly Candidate[],
): readonly PlacedShard[] => {
  let stage = 0;
  return chain.flatMap(({ name: rig, stages }, index) => {
    const after = chain.length - index - 1;
    const count = Math.min(stages.length, ppDegree - stage - after);
    const first = stage;
    stage += count;
    return stages
      .slice(0, count)
      .flatMap((devices, offset) =>
        devices.map((device, rank) => ({ stage: first + offset, rank, rig, device, memoryBytes })),
      );
  });
};

/**
 * Places the stages on the fewest rigs, the stages of a rig one after the other; of these plans the
 * one whose slowest link is the fastest; of these the first by the names of its rigs. All parts of
 * a stage are on one rig.
 */
export const planStages = (
  order: StageOrder,
  rigs: readonly FreeRig[],
  speed: LinkSpeed,
): StagePlan | Shortage => {
  const candidates = candidatesOf(order, rigs);
  const { ppDegree } = order;
  if (roomIn(candidates) < ppDegree) return shortageOf(order, rigs, candidates);
  const fewest = candidates.findIndex((_, index) => {
    const largest = candidates.slice(0, index + 1);
    return roomIn(largest) >= ppDegree;
  });
  const chain = bestChain(order, candidates.toSorted(byName), fewest + 1, speed);
  return { shards: shardsOf(order, chain), links: linksOf(chain, speed) };
};

const bestChain = (
  { ppDegree }: StageOrder,
  rigs: readonly Candidate[],
  length: number,
  speed: LinkSpeed,
): readonly Candidate[] => {
  let best: readonly Candidate[] = [];
  let slowest = -Infinity;
  for (const chain of chainsOf(rigs, length)) {
    if (roomIn(chain) < ppDegree) continue;
    const found = slowestOf(linksOf(chain, speed));
    if (best.length > 0 && found <= slowest) continue;
    best = chain;
    slowest = found;
  }
  return best;
};

const shortageOf = (
  { ppDegree, tpDegree, shardBytes }: StageOrder,
  rigs: readonly FreeRig[],
  candidates: readonly Candidate[],
): Shortage => {
  const stagesPlaceable = roomIn(candidates);
  return {
    stagesPlaceable,
    missingMemoryBytes: (ppDegree - stagesPlaceable) * tpDegree * shardBytes,
    rigsUsable: candidates.length,
    rigsRegistered: rigs.length,
  };
};
