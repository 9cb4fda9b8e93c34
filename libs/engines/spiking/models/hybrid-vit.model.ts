import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { textDrive } from './text-stem.js';

const TOKENS = 16;
const WIDTH = 32;
const SCALE = 0.125;

/** 4x4 patches of a 16x16 picture as tokens of 16 numbers. */
const patchesOf = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const batch = x.shape[1] ?? 1;
  const tiles = ops.reshape(x, [1, batch, 4, 4, 4, 4]);
  return ops.reshape(ops.transpose(tiles, [0, 1, 2, 4, 3, 5]), [1, batch, TOKENS, 16]);
};

const embeddedPatches = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const places = ops.parameter('places', [TOKENS, WIDTH], { initial: { deviation: 0.5 } });
  return ops.add(ops.linear('embed', patchesOf(ops, x), { out: WIDTH, gain: 3 }), places);
};

/** Spiking self-attention: queries, keys and values are spikes, so pairs are only counted. */
const attend = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const project = (name: string): Tensor =>
    ops.neuron(`${name}.lif`, ops.linear(name, x, { out: WIDTH, gain: 2.5 }));
  const [queries, keys, values] = [project('query'), project('key'), project('value')];
  const pairs = ops.product(queries, ops.transpose(keys, [0, 1, 3, 2]));
  const mixed = ops.scale(ops.product(pairs, values), SCALE);
  const attended = ops.neuron('attention.lif', mixed);
  return ops.neuron('join.lif', ops.linear('join', attended, { out: WIDTH, gain: 2.5 }));
};

const feedForward = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const wide = ops.neuron('mlp1.lif', ops.linear('mlp1', x, { out: 2 * WIDTH, gain: 2.5 }));
  return ops.neuron('mlp2.lif', ops.linear('mlp2', wide, { out: WIDTH, gain: 2.5 }));
};

/** Dense patch embedding, then one spiking transformer block as in Spikformer, without softmax. */
export const hybridVit: Architecture = {
  name: 'hybrid-vit',
  slug: 'snnlib/hybrid-spiking-vit',
  displayName: 'Hybrid vision transformer',
  routingMode: 'hybrid_vit',
  architecture: 'dense patch embedding, one spiking self-attention block, spiking MLP (depth 6)',
  input: { shape: [16, 16], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'embed.lif',
  forward(ops, x, { head, name, classes }) {
    const embedded = head === 'text' ? textDrive(ops, x, [TOKENS, WIDTH]) : embeddedPatches(ops, x);
    const tokens = ops.neuron('embed.lif', ops.hold(embedded));
    const attended = ops.add(attend(ops, tokens), tokens);
    const fed = ops.add(feedForward(ops, attended), attended);
    const pooled = ops.mean(fed, 2);
    return ops.mean(ops.linear(name, pooled, { out: classes, gain: 3 }), 0);
  },
  describe: () => ({
    architecture_type: 'dense embedding, spiking transformer',
    front_end: 'patches 4x4, linear embedding with learned places, computed once',
    back_end: 'spiking self-attention over 16 tokens of 32 channels, spiking MLP',
    feature_map_dim: `${TOKENS}x${WIDTH}`,
    receptive_field: 'the whole picture',
  }),
};
