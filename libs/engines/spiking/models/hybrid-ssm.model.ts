import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

export const STATES = 24;
/** Samples of the signal in one timestep. */
const SAMPLES = 8;

/** A complex number for each state, as a pair of tensors. */
interface Complex<Tensor> {
  readonly re: Tensor;
  readonly im: Tensor;
}

const times = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  a: Complex<Tensor>,
  b: Complex<Tensor>,
): Complex<Tensor> => ({
  re: ops.subtract(ops.multiply(a.re, b.re), ops.multiply(a.im, b.im)),
  im: ops.add(ops.multiply(a.re, b.im), ops.multiply(a.im, b.re)),
});

/** Frequencies from one cycle in 64 samples to one in 4, and decays over 4 to 32 samples. */
const spread = (low: number, high: number): Float32Array =>
  Float32Array.from({ length: STATES }, (_, index) => low * (high / low) ** (index / (STATES - 1)));

/**
 * `Abar = e^(A dt)` and `Bbar = (Abar - 1) / A` for `A = -decay + i frequency`, `B = 1`, `dt = 1`:
 * zero-order hold.
 */
export const discretise = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
): { readonly keep: Complex<Tensor>; readonly gain: Complex<Tensor> } => {
  const shape = [1, 1, STATES];
  const decays = spread(1 / 32, 1 / 4).map(Math.log);
  const decay = ops.map(ops.parameter('decay', shape, { initial: { values: decays } }), 'exp');
  const frequencies = spread((2 * Math.PI) / 64, (2 * Math.PI) / 4);
  const frequency = ops.parameter('frequency', shape, { initial: { values: frequencies } });
  const size = ops.map(ops.scale(decay, -1), 'exp');
  const keep = {
    re: ops.multiply(size, ops.map(frequency, 'cos')),
    im: ops.multiply(size, ops.map(frequency, 'sin')),
  };
  // 1 / A is its conjugate over its square.
  const square = ops.add(ops.map(decay, 'square'), ops.map(frequency, 'square'));
  const over = ops.map(ops.scale(ops.map(square, 'log'), -1), 'exp');
  const inverse = {
    re: ops.scale(ops.multiply(decay, over), -1),
    im: ops.scale(ops.multiply(frequency, over), -1),
  };
  const one = ops.constant(new Float32Array(STATES).fill(1), shape);
  const gain = times(ops, { re: ops.subtract(keep.re, one), im: keep.im }, inverse);
  return { keep, gain };
};

/** `x_k = Abar x_(k-1) + Bbar u_k`; the states after every sample, `[samples, batch, STATES]`. */
export const recur = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  u: Tensor,
): Complex<Tensor> => {
  const [samples = 1, batch = 1] = u.shape;
  const { keep, gain } = discretise(ops);
  const driven = { re: ops.multiply(u, gain.re), im: ops.multiply(u, gain.im) };
  const rest = ops.constant(new Float32Array(batch * STATES), [1, batch, STATES]);
  let state: Complex<Tensor> = { re: rest, im: rest };
  const states: Complex<Tensor>[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const moved = times(ops, state, keep);
    state = {
      re: ops.add(moved.re, ops.slice(driven.re, 0, sample, 1)),
      im: ops.add(moved.im, ops.slice(driven.im, 0, sample, 1)),
    };
    states.push(state);
  }
  return {
    re: ops.concat(
      states.map(({ re }) => re),
      0,
    ),
    im: ops.concat(
      states.map(({ im }) => im),
      0,
    ),
  };
};

/** A dense diagonal state space whose real read-out drives spiking neurons. */
export const hybridSsm: Architecture = {
  name: 'hybrid-ssm',
  slug: 'snnlib/hybrid-spiking-ssm',
  displayName: 'Spiking SSM',
  routingMode: 'hybrid_ssm',
  architecture: `diagonal complex state space of ${STATES} states, two LIF layers (depth 4)`,
  input: { shape: [SAMPLES, 1], kind: 'sequence', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif2',
  forward(ops, x, { head, name, classes }) {
    const [steps = 1, batch = 1] = x.shape;
    // A text gives one number for each slice: the sequence of a projection of its trigrams.
    const u =
      head === 'text'
        ? ops.linear('entry', x, { out: STATES, gain: 2 })
        : ops.reshape(ops.transpose(ops.reshape(x, [steps, batch, SAMPLES]), [0, 2, 1]), [
            steps * SAMPLES,
            batch,
            1,
          ]);
    const { re, im } = recur(ops, u);
    const seen = ops.linear('readout', ops.concat([re, im], 2), { out: 64, gain: 2 });
    const first = ops.neuron('lif1', seen);
    const second = ops.neuron('lif2', ops.linear('mix', first, { out: 64, gain: 3 }));
    return ops.mean(ops.linear(name, second, { out: classes, gain: 3 }), 0);
  },
  describe: () => ({
    architecture_type: 'dense state space, spiking back end',
    front_end: `${STATES} complex states by zero-order hold, one step for each sample`,
    back_end: 'two layers of 64 LIF neurons, rate read-out',
    feature_map_dim: `${2 * STATES}`,
    receptive_field: 'the sequence up to the present sample',
  }),
};
