/** Traffic that spreads over a fixed road network of twenty junctions. */
import { JUNCTIONS, ROADS } from '#engines/spiking/models/road-network.js';
import type { SeededRandom } from '../../seeded-random.js';
import { between, type ClassificationTask } from './task.js';

const FRAMES = 8;

const degree = (node: number): number =>
  ROADS.subarray(node * JUNCTIONS, (node + 1) * JUNCTIONS).reduce((sum, road) => sum + road, 0);

const DEGREES = Array.from({ length: JUNCTIONS }, (_, node) => degree(node));

export interface Conditions {
  /** Share of the load that moves on to the neighbours in one frame. */
  readonly flow: number;
  /** Share of the load that leaves the network in one frame. */
  readonly outflow: number;
  /** Load that enters at each junction in one frame. */
  readonly inflow: readonly number[];
}

/** The load of every junction one frame later. Without in- and outflow the total stays the same. */
export const nextLoads = (
  loads: readonly number[],
  { flow, outflow, inflow }: Conditions,
): readonly number[] =>
  loads.map((load, node) => {
    const arriving = loads.reduce(
      (sum, other, from) =>
        sum + ((ROADS[from * JUNCTIONS + node] ?? 0) * other) / (DEGREES[from] ?? 1),
      0,
    );
    return (1 - outflow) * ((1 - flow) * load + flow * arriving) + (inflow[node] ?? 0);
  });

/** Lower bounds of the mean load. */
const LEVELS = [
  ['free', 0],
  ['dense', 0.35],
  ['congested', 0.55],
  ['jammed', 0.75],
] as const;

const levelOf = (loads: readonly number[]): number => {
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  return LEVELS.findLastIndex(([, from]) => mean >= from);
};

const conditions = (random: SeededRandom): Conditions => {
  const demand = between(random, 0, 0.16);
  return {
    flow: between(random, 0.2, 0.5),
    outflow: between(random, 0.05, 0.2),
    inflow: Array.from({ length: JUNCTIONS }, () => demand * between(random, 0.2, 1.8)),
  };
};

const simulate = (random: SeededRandom): readonly (readonly number[])[] => {
  const start = between(random, 0.05, 1);
  const fixed = conditions(random);
  let loads: readonly number[] = Array.from(
    { length: JUNCTIONS },
    () => start * between(random, 0.3, 1.7),
  );
  return Array.from({ length: FRAMES + 1 }, () => {
    const frame = loads;
    loads = nextLoads(loads, fixed);
    return frame;
  });
};

export const traffic: ClassificationTask = {
  name: 'traffic',
  description:
    'Eight frames of the load of twenty junctions of a fixed road network, with noise; the class ' +
    'is the level of congestion of the network in the next frame.',
  inputShape: [FRAMES, JUNCTIONS],
  classes: LEVELS.map(([name]) => name),
  draw(random) {
    const label = random.below(LEVELS.length);
    for (;;) {
      const frames = simulate(random);
      if (levelOf(frames[FRAMES] ?? []) === label) {
        const loads = frames.slice(0, FRAMES).flat();
        return { input: Float32Array.from(loads, (load) => load + 0.05 * random.normal()), label };
      }
    }
  },
};
