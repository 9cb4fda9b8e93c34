import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { nameOfRule, PREDICATES, RULES, satisfactions } from './logic.rules.js';
import { asNative } from './text-stem.js';

const PROPERTIES = 10;
const ENCODER = 12;

/** The class at the top is the predicate that holds most surely. */
export interface Truths<Tensor> {
  /** `[1, batch, predicates]`; the sigmoid of them is the truth. */
  readonly logits: Tensor;
  /** Spikes of all encoders, `[steps, batch, predicates * ENCODER]`. */
  readonly spikes: Tensor;
}

/** One small spiking encoder for each predicate, with synapses of its own. */
export const truthsOf = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  properties: Tensor,
): Truths<Tensor> => {
  const width = PREDICATES.length * ENCODER;
  const drive = ops.linear('encoders', properties, { out: width, gain: 3 });
  const spikes = ops.neuron('lif', ops.hold(drive));
  const [steps = 1, batch = 1] = spikes.shape;
  const parts = ops.reshape(spikes, [steps, batch, PREDICATES.length, ENCODER]);
  const weights = ops.parameter('truth.weight', [PREDICATES.length, ENCODER], {
    initial: { deviation: 1 },
  });
  const bias = ops.parameter('truth.bias', [PREDICATES.length], { initial: { value: 0 } });
  const votes = ops.sum(ops.multiply(parts, weights), 3);
  return { logits: ops.add(ops.mean(votes, 0), bias), spikes };
};

/** Spiking predicates under logical rules: what a thing is, and how well each rule holds of it. */
export const neuroSymbolicLtn: Architecture = {
  name: 'neuro-symbolic-ltn',
  slug: 'platform/neuro-symbolic-ltn',
  displayName: 'Neuro-symbolic LTN',
  routingMode: 'hybrid_neuro_symbolic',
  architecture: 'logic tensor network of ten spiking predicates and ten rules',
  input: { shape: [PROPERTIES], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif',
  forward(ops, x, readout) {
    const { logits, spikes } = truthsOf(ops, asNative(ops, x, readout, [PROPERTIES]));
    const rules = satisfactions(ops, ops.map(logits, 'sigmoid'));
    ops.note('rules', ops.valuesOf(rules));
    if (readout.head === 'native') return ops.slice(logits, 2, 0, readout.classes);
    return ops.mean(ops.linear(readout.name, spikes, { out: readout.classes }), 0);
  },
  describe({ notes }) {
    const held = notes.get('rules') ?? [];
    const rules = RULES.map((rule, at) => `${nameOfRule(rule)} ${(held[at] ?? 0).toFixed(3)}`);
    return {
      architecture_type: 'logic tensor network with spiking predicates',
      front_end: `${PREDICATES.length} spiking encoders of ${ENCODER} LIF neurons`,
      back_end: `product real logic: ${rules.join('; ')}`,
      feature_map_dim: `${PREDICATES.length}x${ENCODER}`,
      synergy_mechanism: 'predicates without examples are learned from the rules alone',
    };
  },
};
