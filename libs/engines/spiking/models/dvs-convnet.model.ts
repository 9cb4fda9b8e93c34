import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';

const POLARITIES = 2;

/** One for each of the eight neighbours of a pixel, whatever their polarity. */
const neighbours = (): Float32Array =>
  Float32Array.from({ length: 9 * POLARITIES * POLARITIES }, (_, index) =>
    Math.floor(index / (POLARITIES * POLARITIES)) === 4 ? 0 : 1,
  );

/** Events of a camera pass a noise filter, two convolutions and one dense layer, all spiking. */
export const dvsConvnet: Architecture = {
  name: 'dvs-convnet',
  slug: 'snnlib/dvs-convnet',
  displayName: 'DVS ConvNet',
  routingMode: 'snn_spiking',
  architecture: 'noise filter, two spiking convolutions, one spiking dense layer, vote (depth 4)',
  input: { shape: [1, POLARITIES, 16, 16], kind: 'sequence', code: 'binary' },
  neuron: { ...DEFAULT_NEURON, model: 'PLIFNode' },
  neuronModels: ['PLIFNode'],
  rasterLayer: 'lif3',
  forward(ops, x, { head, name, classes }) {
    const [steps = 1, batch = 1] = x.shape;
    const motion = (): typeof x => {
      const planes = ops.reshape(x, [steps, batch, POLARITIES, 16, 16]);
      const events = ops.transpose(planes, [0, 1, 3, 4, 2]);
      const options = { out: POLARITIES, kernel: 3, bias: false, fixed: neighbours };
      const support = ops.multiply(events, ops.convolution('support', events, options));
      // A neuron without memory passes events that a neighbour supports at the same step.
      const kept = ops.neuron('filter', support, { model: 'LIFNode', tau: 1 });
      const small = ops.convolution('conv1', kept, { out: 8, kernel: 3, stride: 2, gain: 4 });
      const first = ops.neuron('lif1', small);
      const smaller = ops.convolution('conv2', first, { out: 16, kernel: 3, stride: 2, gain: 3 });
      return ops.reshape(ops.neuron('lif2', smaller), [steps, batch, 256]);
    };
    const spikes = head === 'text' ? x : motion();
    const third = ops.neuron('lif3', ops.linear(`hidden.${head}`, spikes, { out: 64, gain: 3 }));
    return ops.mean(ops.linear(name, third, { out: classes }), 0);
  },
  describe({ layers, inputSpikes }) {
    const kept = layers.find(({ name }) => name === 'filter')?.spikes;
    const removed =
      kept === undefined || inputSpikes === null || inputSpikes === 0
        ? 'no events in this run'
        : `${(100 * (1 - kept / inputSpikes)).toFixed(1)} % of ${inputSpikes} events are noise`;
    return {
      architecture_type: 'spiking throughout',
      front_end: 'event frames of two polarities, neighbourhood noise filter',
      back_end: 'two spiking convolutions 3x3 of stride 2, 64 spiking neurons, vote',
      feature_map_dim: '4x4x16',
      receptive_field: '7x7 pixels behind the filter',
      motion_event_filter_efficiency: removed,
    };
  },
};
