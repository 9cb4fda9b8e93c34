import { InvalidInputError } from '../spiking.engine.errors.js';
import { SLICE_DIMENSIONS, trigramSlices } from '../encoders/text.encoder.js';
import { type NumberGrid } from '../encoders/resample.js';
import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { tensorOf, type DataTensor } from '../operations/tensor.js';

const NODES = 16;
const DEGREES = 8;
const WIDTH = 32;

/** Rows of adjacency with self-loops, each followed by features of its node. */
const graphTensor = (
  edges: readonly (readonly [number, number])[],
  features: number,
  featureOf: (node: number, degree: number) => readonly number[],
): DataTensor => {
  const row = NODES + features;
  const values = new Float32Array(NODES * row);
  for (const [from, to] of edges) {
    for (const [a, b] of [
      [from, to],
      [to, from],
      [from, from],
      [to, to],
    ] as const) {
      values[a * row + b] = 1;
    }
  }
  for (let node = 0; node < NODES; node += 1) {
    const own = values.subarray(node * row, node * row + NODES);
    const degree = own.filter((value) => value === 1).length - 1;
    for (const feature of featureOf(node, degree)) values[node * row + NODES + feature] = 1;
  }
  return tensorOf(values, [1, 1, NODES, row], 'binary');
};

/** Pairs of node numbers; pairs of -1 are padding. @throws InvalidInputError */
const encodeEdges = ({ shape, values }: NumberGrid): DataTensor => {
  if (shape.at(-1) !== 2) {
    throw new InvalidInputError('input_data is a list of edges, each two node numbers');
  }
  const edges = Array.from({ length: values.length / 2 }, (_, edge) => {
    return [values[2 * edge] ?? 0, values[2 * edge + 1] ?? 0] as const;
  }).filter(([from, to]) => from !== -1 || to !== -1);
  const isNode = (node: number): boolean => Number.isInteger(node) && node >= 0 && node < NODES;
  if (edges.some(([from, to]) => !isNode(from) || !isNode(to))) {
    throw new InvalidInputError(`node numbers in input_data are whole, from 0 to ${NODES - 1}`);
  }
  // A node without edges has degree -1, as it lacks its self-loop: it is no part of the graph.
  return graphTensor(edges, DEGREES, (_, degree) =>
    degree < 0 ? [] : [Math.min(degree, DEGREES - 1)],
  );
};

/** The slices of a text as a chain of nodes. */
const encodeChain = (text: string): DataTensor => {
  const slices = trigramSlices(text, NODES);
  const chain = Array.from({ length: NODES - 1 }, (_, node) => [node, node + 1] as const);
  return graphTensor(chain, SLICE_DIMENSIONS, (node) => {
    const own = slices.subarray(node * SLICE_DIMENSIONS, (node + 1) * SLICE_DIMENSIONS);
    return [...own.keys()].filter((slot) => own[slot] === 1);
  });
};

/** Nodes are LIF neurons that exchange spikes with their neighbours. */
export const hybridGnn: Architecture = {
  name: 'hybrid-gnn',
  slug: 'snnlib/hybrid-spiking-gnn',
  displayName: 'Spiking GNN',
  routingMode: 'hybrid_gnn',
  architecture: 'two rounds of message passing between LIF nodes, rate pooling (depth 3)',
  input: { shape: [40, 2], kind: 'static', code: 'binary' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif2',
  encodeArray: encodeEdges,
  encodeText: encodeChain,
  forward(ops, x, { head, name, classes }) {
    const features = (x.shape[3] ?? NODES) - NODES;
    const adjacency = ops.slice(x, 3, 0, NODES);
    const given = ops.slice(x, 3, NODES, features);
    const options = { out: WIDTH, gain: 3 };
    const drive = ops.graph(`messages1.${head}`, given, adjacency, options);
    const first = ops.neuron('lif1', ops.hold(drive));
    const second = ops.neuron('lif2', ops.graph('messages2', first, adjacency, options));
    const pooled = ops.concat([ops.mean(first, 2), ops.mean(second, 2)], 2);
    return ops.mean(ops.linear(name, pooled, { out: classes, gain: 3 }), 0);
  },
  describe: () => ({
    architecture_type: 'spiking graph network',
    front_end: 'degrees of nodes, or the slices of a text as a chain, as spikes',
    back_end: `two rounds of messages between LIF nodes of ${WIDTH} channels, rate pooling`,
    feature_map_dim: `${NODES}x${WIDTH}`,
    receptive_field: 'neighbours of neighbours',
  }),
};
