import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { textDrive } from './text-stem.js';

const WIDTH = 32;
const TOKENS = 16;

/**
 * Spike-driven self-attention (Yao et al., 2023): the spikes that Q and K share are counted down
 * each column, a neuron turns the count into a mask, and the mask lets V through. Nothing is
 * multiplied.
 */
export const spikeDrivenAttention = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  tokens: Tensor,
): Tensor => {
  const spikesOf = (name: string): Tensor =>
    ops.neuron(name, ops.linear(`${name}.synapses`, tokens, { out: WIDTH, gain: 3 }));
  const [queries, keys, values] = [spikesOf('query'), spikesOf('key'), spikesOf('value')];
  const [steps = 1, batch = 1] = tokens.shape;
  const shared = ops.sum(ops.multiply(queries, keys), 2);
  const mask = ops.neuron('mask', ops.reshape(shared, [steps, batch, 1, WIDTH]));
  return ops.multiply(mask, values);
};

/** Sixteen patches of four by four pixels, `[1, batch, 16, 16]`. */
const patchesOf = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const [, batch = 1] = x.shape;
  const parts = ops.reshape(x, [batch, 4, 4, 4, 4]);
  return ops.reshape(ops.transpose(parts, [0, 1, 3, 2, 4]), [1, batch, TOKENS, 16]);
};

const embeddedPatches = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const place = ops.parameter('place', [TOKENS, WIDTH], { initial: { deviation: 0.2 } });
  return ops.add(ops.linear('embedding', patchesOf(ops, x), { out: WIDTH, gain: 2 }), place);
};

/** One block whose activations are all spikes. */
export const patternSpikingTransformer: Architecture = {
  name: 'pattern-spiking-transformer',
  slug: 'platform/pattern-spiking-transformer',
  displayName: 'Spike-driven transformer',
  routingMode: 'pattern_spiking_transformer',
  architecture: 'patch embedding, one block of spike-driven attention and a spiking perceptron',
  input: { shape: [16, 16, 1], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'mask',
  forward(ops, x, { head, name, classes }) {
    const embedded = head === 'text' ? textDrive(ops, x, [TOKENS, WIDTH]) : embeddedPatches(ops, x);
    const tokens = ops.neuron('tokens', ops.hold(embedded));
    const attended = ops.linear('attended', spikeDrivenAttention(ops, tokens), { out: WIDTH });
    const mixed = ops.add(tokens, ops.neuron('attention', attended));
    const wide = ops.neuron('wide', ops.linear('widen', mixed, { out: 2 * WIDTH, gain: 3 }));
    const narrow = ops.neuron('narrow', ops.linear('narrow', wide, { out: WIDTH, gain: 3 }));
    const counts = ops.sum(ops.add(mixed, narrow), 2);
    return ops.mean(ops.linear(name, counts, { out: classes, gain: 0.3 }), 0);
  },
  describe: () => ({
    architecture_type: 'transformer without softmax and without products of activations',
    front_end: 'sixteen patches of 4x4 pixels, embedded once',
    back_end: 'spike-driven attention, spiking perceptron, read-out of counts',
    feature_map_dim: `${TOKENS}x${WIDTH}`,
    receptive_field: 'the whole picture',
    synergy_mechanism: 'masks and additions; cost linear in tokens and in channels',
  }),
};
