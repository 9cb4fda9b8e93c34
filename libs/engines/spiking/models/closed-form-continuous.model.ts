import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const INPUTS = 8;
const HIDDEN = 24;
const BACKBONE = 32;

/**
 * The closed-form continuous-time cell (Hasani et al., 2022) as the package ncps has it, after `elapsed`
 * units of time: `h' = (1 - g) tanh(a) + g tanh(b)`, `g = sigmoid(c elapsed + d)`, where a, b, c and d
 * are linear in a backbone of the input and the state.
 */
export const cfcCell = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  state: Tensor,
  elapsed: Tensor,
): Tensor => {
  const project = (name: string, from: Tensor, out: number): Tensor =>
    ops.linear(`cell.${name}`, from, { out, gain: 1 });
  const seen = project('backbone', ops.concat([x, state], -1), BACKBONE);
  const backbone = ops.scale(ops.map(ops.scale(seen, 0.666), 'tanh'), 1.7159);
  const one = ops.map(project('ff1', backbone, HIDDEN), 'tanh');
  const other = ops.map(project('ff2', backbone, HIDDEN), 'tanh');
  const pace = ops.multiply(project('timeA', backbone, HIDDEN), elapsed);
  const gate = ops.map(ops.add(pace, project('timeB', backbone, HIDDEN)), 'sigmoid');
  return ops.add(one, ops.multiply(gate, ops.subtract(other, one)));
};

/** The state after each step, `[steps, batch, HIDDEN]`, from inputs and times of the same steps. */
export const cfcStates = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  elapsed: Tensor,
): Tensor => {
  const [steps = 1, batch = 1] = x.shape;
  let state = ops.constant(new Float32Array(batch * HIDDEN), [1, batch, HIDDEN]);
  const states = Array.from({ length: steps }, (_, step) => {
    const now = (tensor: Tensor): Tensor => ops.slice(tensor, 0, step, 1);
    state = cfcCell(ops, now(x), state, now(elapsed));
    return state;
  });
  return ops.concat(states, 0);
};

/** A dense cell follows irregular times; LIF neurons read its state. */
export const closedFormContinuous: Architecture = {
  name: 'closed-form-continuous',
  slug: 'snnlib/closed-form-continuous-cfc',
  displayName: 'Closed-form continuous',
  routingMode: 'hybrid_cfc',
  architecture: 'CfC cell of 24 units over irregular times, LIF read-out layer',
  input: { shape: [2], kind: 'sequence', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif',
  forward(ops, x, { head, name, classes }) {
    const [steps = 1, batch = 1] = x.shape;
    const isText = head === 'text';
    // Slices of a text follow each other at equal times.
    const elapsed = isText
      ? ops.constant(new Float32Array(steps * batch).fill(1), [steps, batch, 1])
      : ops.slice(x, 2, 1, 1);
    const values = isText
      ? ops.linear('text.in', x, { out: INPUTS })
      : ops.linear('value.in', ops.slice(x, 2, 0, 1), { out: INPUTS });
    const states = cfcStates(ops, values, elapsed);
    const spikes = ops.neuron('lif', ops.linear('synapses', states, { out: 48, gain: 2 }));
    return ops.linear(name, ops.mean(spikes, 0), { out: classes });
  },
  describe: () => ({
    architecture_type: 'continuous-time recurrent cell, spiking read-out',
    front_end: `CfC cell with a backbone of ${BACKBONE} and a state of ${HIDDEN}`,
    back_end: 'layer of 48 LIF neurons, rate read-out',
    feature_map_dim: `${HIDDEN}`,
    synergy_mechanism: 'the gate of the cell takes the time between samples into account',
  }),
};
