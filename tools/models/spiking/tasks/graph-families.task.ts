/** Graphs of five families, as edge lists with shuffled node numbers. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import type { ClassificationTask } from './task.js';

export const NODES_MAX = 16;
export const EDGES_MAX = 40;

export type Edge = readonly [number, number];

const pairs = (nodes: number): readonly Edge[] =>
  Array.from({ length: nodes }, (_, a) =>
    Array.from({ length: nodes - a - 1 }, (_, offset): Edge => [a, a + 1 + offset]),
  ).flat();

const ring = (random: SeededRandom): readonly Edge[] => {
  const nodes = 8 + random.below(9);
  return Array.from({ length: nodes }, (_, node): Edge => [node, (node + 1) % nodes]);
};

const star = (random: SeededRandom): readonly Edge[] =>
  Array.from({ length: 7 + random.below(9) }, (_, leaf): Edge => [0, leaf + 1]);

const grid = (random: SeededRandom): readonly Edge[] => {
  const [rows, columns] = random.pick([
    [3, 3],
    [3, 4],
    [4, 4],
    [3, 5],
    [2, 5],
    [2, 7],
  ] as const);
  return pairs(rows * columns).filter(
    ([a, b]) => (b === a + 1 && b % columns !== 0) || b === a + columns,
  );
};

const randomGraph = (random: SeededRandom): readonly Edge[] =>
  pairs(8 + random.below(9)).filter(() => random.next() < 0.22);

/** Two dense halves that few edges join. */
const community = (random: SeededRandom): readonly Edge[] => {
  const half = 4 + random.below(3);
  return pairs(2 * half).filter(([a, b]) => random.next() < (a < half === b < half ? 0.85 : 0.06));
};

const FAMILIES: Readonly<Record<string, (random: SeededRandom) => readonly Edge[]>> = {
  ring,
  star,
  grid,
  random: randomGraph,
  community,
};

const CLASSES = Object.values(FAMILIES);

const shuffled = (count: number, random: SeededRandom): readonly number[] => {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const [a = 0, b = 0] = [order[last], order[other]];
    [order[last], order[other]] = [b, a];
  }
  return order;
};

/** Rows of `EDGES_MAX` edges; unused rows hold -1. Each edge stands once and has no direction. */
export const edgeRows = (edges: readonly Edge[]): Float32Array => {
  const rows = new Float32Array(EDGES_MAX * 2).fill(-1);
  edges.forEach(([a, b], index) => rows.set([a, b], 2 * index));
  return rows;
};

export const graphFamilies: ClassificationTask = {
  name: 'graph-families',
  description:
    'An undirected graph of up to 16 nodes as a list of up to 40 edges, two node numbers each, ' +
    'padded with -1; the class is the family the graph was generated from.',
  inputShape: [EDGES_MAX, 2],
  classes: Object.keys(FAMILIES),
  draw(random) {
    const label = random.below(CLASSES.length);
    for (;;) {
      const edges = CLASSES[label]?.(random) ?? [];
      if (edges.length > 0 && edges.length <= EDGES_MAX) {
        const numbers = shuffled(NODES_MAX, random);
        const renumbered = edges.map(([a, b]): Edge => [numbers[a] ?? 0, numbers[b] ?? 0]);
        return { input: edgeRows(renumbered), label };
      }
    }
  },
};
