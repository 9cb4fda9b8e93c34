/** The random wiring of the liquid state machine, after Maass, Natschlaeger and Markram (2002). */

const GRID = [5, 5, 8] as const;
export const NEURONS = GRID[0] * GRID[1] * GRID[2];
const SEED = 1706;
/** One neuron in five inhibits. */
const INHIBITORY_EVERY = 5;
/** The distance, in places of the grid, at which connections become rare. */
const REACH = 2;
const INPUT_SHARE = 0.3;
const INPUT_WEIGHT = 0.9;

/** Probability of a connection at distance 0 and its weight, by the kinds of the two neurons. */
const CONNECTIONS = {
  excitatory: {
    excitatory: { probability: 0.3, weight: 0.22 },
    inhibitory: { probability: 0.2, weight: 0.35 },
  },
  inhibitory: {
    excitatory: { probability: 0.4, weight: -0.45 },
    inhibitory: { probability: 0.1, weight: -0.3 },
  },
} as const;

export const kindOf = (neuron: number): keyof typeof CONNECTIONS =>
  neuron % INHIBITORY_EVERY === 0 ? 'inhibitory' : 'excitatory';

/** Uniform in [0, 1), by a 32-bit generator that every machine computes alike. */
const uniform = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296;
  };
};

const placeOf = (neuron: number): readonly [number, number, number] => [
  neuron % GRID[0],
  Math.floor(neuron / GRID[0]) % GRID[1],
  Math.floor(neuron / (GRID[0] * GRID[1])),
];

const distance = (one: number, other: number): number => {
  const [a, b] = [placeOf(one), placeOf(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
};

/** `[NEURONS, NEURONS]`, from row to column. Each row has one sign (Dale's law). */
export const recurrentWeights = (): Float32Array => {
  const random = uniform(SEED);
  return Float32Array.from({ length: NEURONS * NEURONS }, (_, index) => {
    const [from, to] = [Math.floor(index / NEURONS), index % NEURONS];
    const { probability, weight } = CONNECTIONS[kindOf(from)][kindOf(to)];
    const isLinked = random() < probability * Math.exp(-((distance(from, to) / REACH) ** 2));
    const size = 0.5 + random();
    return from !== to && isLinked ? weight * size : 0;
  });
};

/** `[channels, NEURONS]`: each channel excites a random part of the neurons. */
export const inputWeights = (channels: number): Float32Array => {
  const random = uniform(SEED + channels);
  return Float32Array.from({ length: channels * NEURONS }, () => {
    const isLinked = random() < INPUT_SHARE;
    const size = 0.5 + random();
    return isLinked ? INPUT_WEIGHT * size : 0;
  });
};
