import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { textDrive } from './text-stem.js';

const CHANNELS = 24;
const BLOCKS = 3;

const seen = <Tensor extends Shaped>(ops: Operations<Tensor>, x: Tensor): Tensor => {
  const picture = ops.reshape(x, [1, x.shape[1] ?? 1, 16, 16, 1]);
  return ops.convolution('stem', picture, { out: CHANNELS, kernel: 5, stride: 4, gain: 4 });
};

/** Two spiking convolutions whose spikes are added to the input spikes. */
const block = <Tensor extends Shaped>(ops: Operations<Tensor>, name: string, x: Tensor): Tensor => {
  const options = { out: CHANNELS, kernel: 3, gain: 4 };
  const inner = ops.neuron(`${name}.lif1`, ops.convolution(`${name}.conv1`, x, options));
  const outer = ops.neuron(`${name}.lif2`, ops.convolution(`${name}.conv2`, inner, options));
  return ops.add(outer, x);
};

/** Spike-element-wise residual network: blocks pass small counts of spikes on. */
export const spikingResnet: Architecture = {
  name: 'spiking-resnet50',
  slug: 'snnlib/spiking-resnet50',
  displayName: 'Spiking ResNet',
  routingMode: 'snn_spiking',
  architecture: 'direct-coded convolution, three SEW residual blocks, rate read-out (depth 8)',
  input: { shape: [16, 16, 1], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'block3.lif2',
  forward(ops, x, { head, name, classes }) {
    const stem = head === 'text' ? textDrive(ops, x, [4, 4, CHANNELS]) : seen(ops, x);
    // The input does not change, so its currents are computed once and held.
    let spikes = ops.neuron('stem.lif', ops.hold(stem));
    for (let index = 1; index <= BLOCKS; index += 1) spikes = block(ops, `block${index}`, spikes);
    const pooled = ops.mean(ops.mean(spikes, 3), 2);
    return ops.mean(ops.linear(name, pooled, { out: classes, gain: 3 }), 0);
  },
  describe: () => ({
    architecture_type: 'spiking residual network, spike-element-wise addition',
    front_end: 'direct-coded convolution 5x5 of stride 4, computed once',
    back_end: 'three blocks of two spiking convolutions 3x3, global pool, rate read-out',
    feature_map_dim: `4x4x${CHANNELS}`,
    receptive_field: 'the whole picture',
  }),
};
