import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { asNative } from './text-stem.js';

const HIDDEN = 64;

/** Spikes first: counts of spikes are all that the dense part sees, once. */
export const patternSnnAnn: Architecture = {
  name: 'pattern-snn-ann',
  slug: 'platform/pattern-snn-ann',
  displayName: 'Spiking front end, dense back end',
  routingMode: 'pattern_snn_ann',
  architecture: 'rate-coding LIF layer, one LIF layer, dense two-layer perceptron on spike counts',
  input: { shape: [8, 8, 1], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'encoder',
  forward(ops, x, readout) {
    const pixels = asNative(ops, x, readout, [64]);
    const gain = ops.parameter('encoder.gain', [64], { initial: { value: 2 } });
    const trains = ops.neuron('encoder', ops.hold(ops.multiply(pixels, gain)));
    const spikes = ops.neuron('lif', ops.linear('synapses', trains, { out: HIDDEN, gain: 3 }));
    const counts = ops.sum(spikes, 0);
    ops.note('counts', ops.valuesOf(counts));
    const hidden = ops.map(ops.linear('dense', counts, { out: 32, gain: 0.7 }), 'relu');
    return ops.linear(readout.name, hidden, { out: readout.classes });
  },
  describe({ notes }) {
    const counts = notes.get('counts') ?? [];
    const zeros = counts.filter((count) => count === 0).length;
    return {
      architecture_type: 'spiking front end, dense back end',
      front_end: 'rate coding by 64 LIF neurons, then 64 LIF neurons',
      back_end: 'two dense layers on spike counts, run once',
      feature_map_dim: `${HIDDEN}`,
      synergy_mechanism:
        `the dense part reads ${counts.length} spike counts once, of which ` +
        `${((100 * zeros) / Math.max(1, counts.length)).toFixed(1)} % are zero`,
    };
  },
};
