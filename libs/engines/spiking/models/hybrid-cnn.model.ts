import { sparsityText, type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const FEATURES = 8 * 4 * 4;

/** A picture as the features of the dense front end. */
const seen = <Tensor extends Shaped>(ops: Operations<Tensor>, picture: Tensor): Tensor => {
  const edges = ops.map(
    ops.convolution('conv1', picture, { out: 8, kernel: 3, stride: 2 }),
    'relu',
  );
  const parts = ops.map(ops.convolution('conv2', edges, { out: 8, kernel: 3, stride: 2 }), 'relu');
  return ops.reshape(parts, [1, picture.shape[1] ?? 1, FEATURES]);
};

/** A dense front end sees the picture once; its features drive two layers of LIF neurons. */
export const hybridCnn: Architecture = {
  name: 'hybrid-cnn',
  slug: 'snnlib/hybrid-spiking-cnn',
  displayName: 'Hybrid CNN-SNN',
  routingMode: 'hybrid_cnn',
  architecture: 'two dense convolutions with ReLU, two LIF layers, rate read-out (depth 5)',
  input: { shape: [16, 16, 1], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif2',
  forward(ops, x, { head, name, classes }) {
    const features = head === 'text' ? x : seen(ops, x);
    // The drive of the first layer does not change, so it is computed once and held.
    const drive = ops.hold(ops.linear(`drive.${head}`, features, { out: 64, gain: 2 }));
    const first = ops.neuron('lif1', drive);
    const second = ops.neuron('lif2', ops.linear('hidden', first, { out: 64, gain: 3 }));
    return ops.mean(ops.linear(name, second, { out: classes }), 0);
  },
  describe: ({ denseSparsityPct }) => ({
    architecture_type: 'dense convolutional front end, spiking back end',
    front_end: 'convolutions 3x3, stride 2, 8 channels, twice, with ReLU, run once',
    back_end: 'two layers of 64 LIF neurons over all timesteps',
    feature_map_dim: '4x4x8',
    receptive_field: '7x7 pixels',
    spatial_to_spike_sparsity: sparsityText(denseSparsityPct),
  }),
};
