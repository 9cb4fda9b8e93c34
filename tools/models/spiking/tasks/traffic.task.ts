/** Traffic that spreads over a fixed road network of twenty junctions. */
import { JUNCTIONS, ROADS } from '#engines/spiking/models/road-network.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';
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

/** Where most roads meet, and where no load enters: all of it comes from the junctions around. */
const CROSSING = 10;

/** Lower bounds of the load of the crossing. */
const LEVELS = [
  ['free', 0],
  ['dense', 0.65],
  ['congested', 0.88],
  ['jammed', 1.14],
] as const;

const levelOf = (load: number): number =>
  Math.max(
    0,
    LEVELS.findLastIndex(([, from]) => load >= from),
  );

/** A little load enters everywhere and always, and much of it at some junctions in some frames. */
const inflowOf = (random: SeededRandom, usual: number): readonly number[] =>
  Array.from({ length: JUNCTIONS }, (_, node) => {
    const surge = random.next() < 0.1 ? between(random, 0.5, 2) : 0;
    return node === CROSSING ? 0 : usual * between(random, 0.5, 1.5) + surge;
  });

const simulate = (random: SeededRandom): readonly (readonly number[])[] => {
  const [flow, outflow] = [between(random, 0.7, 0.95), between(random, 0.1, 0.25)];
  const usual = between(random, 0.01, 0.04);
  let loads: readonly number[] = Array.from({ length: JUNCTIONS }, () => random.next());
  return Array.from({ length: FRAMES + 1 }, () => {
    const seen = loads;
    loads = nextLoads(loads, { flow, outflow, inflow: inflowOf(random, usual) });
    return seen;
  });
};

/** The load of the crossing in one of the frames that are shown, counted from the last. */
const crossingIn = (input: Float32Array, before: number): number =>
  input[(FRAMES - 1 - before) * JUNCTIONS + CROSSING] ?? 0;

export const traffic: ClassificationTask = {
  name: 'traffic',
  description:
    'Eight frames of the load of twenty junctions of a fixed road network, with noise; the class ' +
    `is the level of congestion of junction ${CROSSING} in the next frame, most of whose load ` +
    'comes from its neighbours.',
  inputShape: [FRAMES, JUNCTIONS],
  classes: LEVELS.map(([name]) => name),
  rivals: [
    { name: 'the level stays as it is', classify: (input) => levelOf(crossingIn(input, 0)) },
    {
      name: 'linear extrapolation of the last two frames',
      classify: (input) => levelOf(2 * crossingIn(input, 0) - crossingIn(input, 1)),
    },
  ],
  draw(random) {
    const label = random.below(LEVELS.length);
    for (;;) {
      const frames = simulate(random);
      if (levelOf(frames[FRAMES]?.[CROSSING] ?? 0) === label) {
        const loads = frames.slice(0, FRAMES).flat();
        return { input: Float32Array.from(loads, (load) => load + 0.03 * random.normal()), label };
      }
    }
  },
};
