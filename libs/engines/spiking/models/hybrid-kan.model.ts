import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';

const HIDDEN = 48;
const GRID = { low: -1.25, high: 1.25, cells: 8 } as const;

/**
 * Edges of the first layer are cubic B-splines of the numbers that come in. An edge behind a spike
 * sees only 0 or 1, so its spline is a table of two values: f(0) belongs to the bias, f(1) - f(0)
 * is the weight that a spike adds.
 */
export const hybridKan: Architecture = {
  name: 'hybrid-kan',
  slug: 'snnlib/hybrid-spiking-kan',
  displayName: 'Spiking KAN',
  routingMode: 'hybrid_kan',
  architecture: 'spline edges on a grid of 8, LIF sums, tabulated spline edges, LIF (depth 3)',
  input: { shape: [2], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif2',
  forward(ops, x, { head, name, classes }) {
    const batch = x.shape[1] ?? 1;
    // A text drives the neurons by a projection: 256 spline edges would outweigh all others.
    const drive =
      head === 'text'
        ? ops.linear('edges.text', x, { out: HIDDEN, gain: 3 })
        : ops.linear('edges.native', ops.splines('splines', ops.reshape(x, [1, batch, 2]), GRID), {
            out: HIDDEN,
            gain: 6,
          });
    const first = ops.neuron('lif1', ops.hold(drive));
    const second = ops.neuron('lif2', ops.linear('tables', first, { out: HIDDEN, gain: 3 }));
    return ops.mean(ops.linear(name, second, { out: classes, gain: 3 }), 0);
  },
  describe: () => ({
    architecture_type: 'Kolmogorov-Arnold network with spiking sums',
    front_end: 'cubic B-splines on a grid of 8 cells, evaluated once',
    back_end: `two layers of ${HIDDEN} LIF neurons; edges behind spikes are tables of two values`,
    feature_map_dim: `${HIDDEN}`,
    receptive_field: 'the whole input',
  }),
};
