import { InvalidInputError } from '../spiking.engine.errors.js';
import { type NumberGrid } from '../encoders/resample.js';
import { tensorOf, type DataTensor } from '../operations/tensor.js';
import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const INPUTS = 8;
const HIDDEN = 24;
const BACKBONE = 32;
const NEURONS = 48;

/**
 * The closed-form continuous-time cell (Hasani et al., 2022) as the package ncps has it, after
 * `elapsed` units of time: `h' = (1 - g) tanh(a) + g tanh(b)`, `g = sigmoid(c elapsed + d)`, where
 * a, b, c and d are linear in a backbone of the input and the state.
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

/** Reads samples `[samples, 2]` at evenly spaced places; the gaps add up to the time they span. */
const readSamples = ({ shape, values }: NumberGrid, steps: number): DataTensor => {
  const samples = shape[0] ?? 0;
  if (shape.length !== 2 || shape[1] !== 2) {
    throw new InvalidInputError('input_data must be a list of pairs: a value, and a time since');
  }
  const rows = new Float32Array(steps * 2);
  let from = -1;
  for (let step = 0; step < steps; step += 1) {
    const to = Math.min(samples - 1, Math.floor(((step + 1) * samples) / steps - 1e-9));
    let elapsed = 0;
    for (let at = from + 1; at <= to; at += 1) elapsed += values[2 * at + 1] ?? 0;
    rows.set([values[2 * Math.max(0, to)] ?? 0, elapsed], 2 * step);
    from = to;
  }
  return tensorOf(rows, [steps, 1, 2]);
};

const wordsIn = <Tensor extends Shaped>(ops: Operations<Tensor>, slices: Tensor): Tensor =>
  ops.linear('text.synapses', slices, { out: NEURONS, gain: 8, bias: false });

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
  encodeArray: readSamples,
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
    const currents = ops.linear('synapses', states, { out: NEURONS, gain: 2 });
    // The eight inputs of the cell are too few for words: slices of a text also drive the neurons.
    const driven = isText ? ops.add(currents, wordsIn(ops, x)) : currents;
    const spikes = ops.neuron('lif', driven);
    return ops.mean(ops.linear(name, spikes, { out: classes }), 0);
  },
  describe: () => ({
    architecture_type: 'continuous-time recurrent cell, spiking read-out',
    front_end: `CfC cell with a backbone of ${BACKBONE} and a state of ${HIDDEN}`,
    back_end: `layer of ${NEURONS} LIF neurons, rate read-out`,
    feature_map_dim: `${HIDDEN}`,
    synergy_mechanism: 'the gate of the cell takes the time between samples into account',
  }),
};
