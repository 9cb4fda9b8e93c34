import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { JUNCTIONS, ROADS } from './road-network.js';
import { asNative } from './text-stem.js';

const WIDTH = 8;

/** Currents of every node from its own state and the mean of its neighbours. */
const convolved = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  x: Tensor,
  roads: Tensor,
): Tensor => {
  const own = ops.linear(`${name}.own`, x, { out: WIDTH, gain: 2 });
  const around = ops.graph(`${name}.around`, x, roads, { out: WIDTH, gain: 2, bias: false });
  return ops.add(own, around);
};

/** Membranes carry what was seen from frame to frame; the last frame is also read as numbers. */
export const spatioTemporalGnn: Architecture = {
  name: 'spatio-temporal-gnn',
  slug: 'snnlib/spatio-temporal-gnn',
  displayName: 'Spatio-temporal GNN',
  routingMode: 'hybrid_st_gnn',
  architecture: 'two graph convolutions on a fixed road network, each with LIF neurons over time',
  input: { shape: [JUNCTIONS], kind: 'sequence', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'second',
  forward(ops, x, readout) {
    const [steps = 1, batch = 1] = x.shape;
    const roads = ops.constant(ROADS, [1, 1, JUNCTIONS, JUNCTIONS], 'binary');
    const loads = ops.reshape(asNative(ops, x, readout, [JUNCTIONS]), [steps, batch, JUNCTIONS, 1]);
    const currents = convolved(ops, 'first', loads, roads);
    const first = ops.neuron('first', currents);
    const second = ops.neuron('second', convolved(ops, 'second', first, roads));
    const flat = ops.reshape(second, [steps, batch, JUNCTIONS * WIDTH]);
    const rates = ops.mean(flat, 0);
    const last = ops.slice(flat, 0, steps - 1, 1);
    const now = ops.reshape(ops.slice(currents, 0, steps - 1, 1), [1, batch, JUNCTIONS * WIDTH]);
    const seen = ops.concat([rates, last, now], 2);
    const weighed = ops.map(ops.linear('weigh', seen, { out: 32, gain: 1 }), 'relu');
    return ops.linear(readout.name, weighed, { out: readout.classes });
  },
  describe: () => ({
    architecture_type: 'graph convolutions in space, LIF neurons in time',
    front_end: `graph of ${JUNCTIONS} junctions with ${WIDTH} channels`,
    back_end: 'dense read-out of rates, and of spikes and currents of the last frame',
    feature_map_dim: `${JUNCTIONS}x${WIDTH}`,
    receptive_field: 'two roads away, over all frames',
  }),
};
