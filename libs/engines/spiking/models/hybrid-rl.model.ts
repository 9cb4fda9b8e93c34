import { type NumberGrid } from '../encoders/resample.js';
import { sparsityText, type Architecture, type Readout } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { tensorOf, type DataTensor, type Shaped } from '../operations/tensor.js';
import { InvalidInputError } from '../spiking.engine.errors.js';

/** Half of the distance in metres that the cart has, and the angle in radians at which it falls. */
export const CART_LIMIT = 2.4;
export const ANGLE_LIMIT = (12 * Math.PI) / 180;

const OBSERVED = 4;
/** Receptive fields of each number of an observation. */
const FIELDS = 8;
const POPULATION = OBSERVED * FIELDS;
const TRUNK = 32;
/** Position, velocity, angle and angular velocity at which a code is three quarters of the way. */
const SCALES = [1.5, 1.5, 0.12, 1.5] as const;
/** Deviation of a receptive field; their centres are spread over [-1, 1]. */
const FIELD_WIDTH = 0.2;
/** Discounted returns are at most 100: this brings them to the size of weights. */
export const VALUE_SCALE = 50;

/** The size of each of 4 numbers by Gaussian receptive fields: `[steps, batch, 32]` in (0, 1]. */
export const populationCode = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  observation: Tensor,
): Tensor => {
  const [steps = 1, batch = 1] = observation.shape;
  const perUnit = ops.constant(
    Float32Array.from(SCALES, (scale) => 1 / scale),
    [1, 1, OBSERVED],
  );
  const bounded = ops.map(ops.multiply(observation, perUnit), 'tanh');
  const centres = Float32Array.from({ length: FIELDS }, (_, at) => (2 * at) / (FIELDS - 1) - 1);
  const distances = ops.subtract(
    ops.reshape(bounded, [steps, batch, OBSERVED, 1]),
    ops.constant(centres, [1, 1, 1, FIELDS]),
  );
  const squares = ops.map(distances, 'square');
  const fields = ops.map(ops.scale(squares, -1 / (2 * FIELD_WIDTH ** 2)), 'exp');
  return ops.reshape(fields, [steps, batch, POPULATION]);
};

/**
 * Logits of every timestep, `[steps, batch, classes]`: their mean over time decodes the rate of the
 * trunk.
 * @param currents `[steps, batch, 32]`
 */
export const act = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  currents: Tensor,
  { name, classes }: Readout,
): Tensor => {
  // Hardly leaky, with a soft reset: its rate is its input, and what is left over is carried on.
  const population = { tau: 20, resetTo: null, decayInput: false };
  const coded = ops.neuron('population', currents, population);
  const trunk = ops.neuron('trunk', ops.linear('synapses', coded, { out: TRUNK, gain: 3 }));
  return ops.linear(name, trunk, { out: classes, gain: 0.5 });
};

/** The discounted return that is expected, over `VALUE_SCALE`: `[steps, batch, 1]`. Not spiking. */
export const judge = <Tensor extends Shaped>(ops: Operations<Tensor>, code: Tensor): Tensor => {
  const hidden = ops.map(ops.linear('critic.hidden', code, { out: TRUNK }), 'relu');
  return ops.linear('critic.value', hidden, { out: 1 });
};

const readObservation = ({ values }: NumberGrid): DataTensor => {
  if (values.length === OBSERVED) return tensorOf(values, [1, 1, OBSERVED]);
  throw new InvalidInputError(
    `input_data has ${values.length} numbers; an observation has ${OBSERVED}: position, ` +
      'velocity, angle and angular velocity',
  );
};

/** A spiking actor and a dense critic keep a pole upright. */
export const hybridRl: Architecture = {
  name: 'hybrid-rl',
  slug: 'snnlib/spiking-rl-actor-critic',
  displayName: 'Spiking deep RL',
  routingMode: 'hybrid_rl',
  architecture: 'population code of 32 neurons, LIF trunk of 32, rate-decoded actor, dense critic',
  input: { shape: [OBSERVED], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'trunk',
  encodeArray: readObservation,
  acting: {
    valueOf: ({ notes }) => notes.get('value')?.[0] ?? 0,
    endsEpisode: ({ values: [position = 0, , angle = 0] }) =>
      Math.abs(position) > CART_LIMIT || Math.abs(angle) > ANGLE_LIMIT,
  },
  forward(ops, x, readout) {
    if (readout.head === 'text') {
      const currents = ops.linear('text.in', x, { out: POPULATION, gain: 2 });
      return ops.mean(act(ops, ops.hold(currents), readout), 0);
    }
    const code = populationCode(ops, x);
    const value = ops.scale(judge(ops, code), VALUE_SCALE);
    ops.note('value', ops.valuesOf(value));
    return ops.mean(act(ops, ops.hold(code), readout), 0);
  },
  describe: ({ denseSparsityPct }) => ({
    architecture_type: 'spiking actor, dense critic',
    front_end: `population code: ${FIELDS} receptive fields for each number, as spikes`,
    back_end: `trunk of ${TRUNK} LIF neurons, rate-decoded actor; dense critic, run once`,
    feature_map_dim: `${POPULATION}`,
    spatial_to_spike_sparsity: sparsityText(denseSparsityPct),
  }),
};
