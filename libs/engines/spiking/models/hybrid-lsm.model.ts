import { type Architecture, type Head } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { NEURONS, inputWeights, recurrentWeights } from './reservoir.wiring.js';

/** Steps of the reservoir in one timestep of the input. */
const SUBSTEPS = 4;
/** Parts of the sequence whose rates the read-out sees apart. */
const WINDOWS = 4;
/** Share of a synaptic current that the next step keeps. */
const SYNAPSE = 0.6;

/** `[steps, batch, …]` as `[steps * SUBSTEPS, batch, channels]`. Holds a text for all. */
const unrolled = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  head: Head,
): Tensor => {
  const [steps = 1, batch = 1] = x.shape;
  const channels = head === 'text' ? 128 : 12;
  const slice = (): Tensor => ops.reshape(x, [steps, batch, 1, channels]);
  const frames =
    head === 'text'
      ? ops.concat(Array.from({ length: SUBSTEPS }, slice), 2)
      : ops.reshape(x, [steps, batch, SUBSTEPS, channels]);
  return ops.reshape(ops.transpose(frames, [0, 2, 1, 3]), [steps * SUBSTEPS, batch, channels]);
};

/** Rates of every neuron in each part of the sequence, `[1, batch, WINDOWS * NEURONS]`. */
export const liquidRates = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  head: Head,
): Tensor => {
  const seen = unrolled(ops, x, head);
  const [steps = 1, batch = 1, channels = 1] = seen.shape;
  const plan = { out: NEURONS, bias: false } as const;
  const given = ops.linear(`input.${head}`, seen, { ...plan, fixed: () => inputWeights(channels) });
  const silence = (): Tensor =>
    ops.constant(new Float32Array(batch * NEURONS), [1, batch, NEURONS], 'binary');
  let spikes = silence();
  let current = ops.slice(given, 0, 0, 1);
  const states: Tensor[] = [];
  for (let step = 0; step < steps; step += 1) {
    const echoed = ops.linear('recurrent', spikes, { ...plan, fixed: recurrentWeights });
    const arriving = ops.add(ops.slice(given, 0, step, 1), echoed);
    current = step === 0 ? arriving : ops.add(ops.scale(current, SYNAPSE), arriving);
    spikes = ops.neuron('reservoir', current);
    states.push(spikes);
  }
  const all = ops.concat(states, 0);
  const length = steps / WINDOWS;
  const windows = Array.from({ length: WINDOWS }, (_, window) =>
    ops.mean(ops.slice(all, 0, window * length, length), 0),
  );
  return ops.concat(windows, 2);
};

/** A fixed random reservoir of spiking neurons. Only its linear read-out is trained (ridge). */
export const hybridLsm: Architecture = {
  name: 'hybrid-lsm',
  slug: 'snnlib/spiking-lsm-reservoir',
  displayName: 'Liquid state machine',
  routingMode: 'hybrid_lsm',
  architecture: `reservoir of ${NEURONS} LIF neurons with synaptic decay, ridge read-out (depth 2)`,
  input: { shape: [SUBSTEPS, 12], kind: 'sequence', code: 'binary' },
  neuron: { ...DEFAULT_NEURON, tau: 5, decayInput: false },
  neuronModels: ['LIFNode', 'PLIFNode'],
  rasterLayer: 'reservoir',
  forward: (ops, x, { head, name, classes }) =>
    ops.linear(name, liquidRates(ops, x, head), { out: classes }),
  describe: () => ({
    architecture_type: 'reservoir computing',
    front_end: 'fixed sparse input synapses',
    back_end: `${NEURONS} LIF neurons wired by distance, linear read-out of rates`,
    feature_map_dim: `${WINDOWS}x${NEURONS}`,
    receptive_field: 'the fading memory of the reservoir',
  }),
};
