import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const WIDTH = 32;
/** Share of the read-out that a timestep keeps. */
const LEAK = 0.8;

/** Hidden states of an LSTM cell, `[steps, batch, WIDTH]`; gates in the order of PyTorch. */
const lstm = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const [steps = 1, batch = 1] = x.shape;
  const rest = (): Tensor => ops.constant(new Float32Array(batch * WIDTH), [1, batch, WIDTH]);
  let [hidden, cell] = [rest(), rest()];
  const states: Tensor[] = [];
  for (let step = 0; step < steps; step += 1) {
    const seen = ops.concat([ops.slice(x, 0, step, 1), hidden], 2);
    const gates = ops.linear('lstm', seen, { out: 4 * WIDTH, gain: 1 });
    const gate = (index: number, element: 'sigmoid' | 'tanh'): Tensor =>
      ops.map(ops.slice(gates, 2, index * WIDTH, WIDTH), element);
    const kept = ops.multiply(gate(1, 'sigmoid'), cell);
    cell = ops.add(kept, ops.multiply(gate(0, 'sigmoid'), gate(2, 'tanh')));
    hidden = ops.multiply(gate(3, 'sigmoid'), ops.map(cell, 'tanh'));
    states.push(hidden);
  }
  return ops.concat(states, 0);
};

/** A dense LSTM drives spiking neurons, which a leaky integrator reads. */
export const hybridRnn: Architecture = {
  name: 'hybrid-rnn',
  slug: 'snnlib/hybrid-spiking-rnn',
  displayName: 'Hybrid RNN/LSTM-SNN',
  routingMode: 'hybrid_rnn',
  architecture: 'dense LSTM of 32 cells, 64 LIF neurons, leaky integrator (depth 4)',
  input: { shape: [3, 3], kind: 'sequence', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif',
  forward(ops, x, { head, name, classes }) {
    const [steps = 1, batch = 1] = x.shape;
    const flat = ops.reshape(x, [steps, batch, head === 'text' ? 128 : 9]);
    const seen = ops.map(ops.linear(`entry.${head}`, flat, { out: 24, gain: 1 }), 'tanh');
    const spikes = ops.neuron('lif', ops.linear('current', lstm(ops, seen), { out: 64, gain: 4 }));
    const votes = ops.linear(name, spikes, { out: classes });
    let level = ops.slice(votes, 0, 0, 1);
    for (let step = 1; step < steps; step += 1) {
      level = ops.add(ops.scale(level, LEAK), ops.slice(votes, 0, step, 1));
    }
    return level;
  },
  describe: () => ({
    architecture_type: 'dense recurrent front end, spiking back end',
    front_end: 'LSTM of 32 cells, one step for each element of the sequence',
    back_end: '64 LIF neurons, leaky integrator',
    feature_map_dim: '32',
    receptive_field: 'the sequence up to the present element',
  }),
};
