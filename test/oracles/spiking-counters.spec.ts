/** SpikingJelly's SynOp, MAC and AC counters against the meter of the engine. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_NEURON } from '#engines/spiking/neurons/neuron.js';
import { MeteredOperations } from '#engines/spiking/operations/metered.operations.js';
import { tensorOf, type Code, type DataTensor } from '#engines/spiking/operations/tensor.js';
import { Meter } from '#engines/spiking/telemetry/meter.js';
import { countedLayers, flattened, type CountedLayer } from './spiking/vectors.js';

const codeOf = (values: Float32Array): Code =>
  values.every((value) => value === 0 || value === 1) ? 'binary' : 'real';

interface Ran {
  readonly output: DataTensor;
  readonly counts: CountedLayer['counts'];
}

const run = (layer: CountedLayer): Ran => {
  const [input, weight] = [flattened(layer.input), flattened(layer.weight)];
  const meter = new Meter();
  const operations = new MeteredOperations({
    weights: new Map([['layer.weight', weight]]),
    steps: input.shape[0] ?? 1,
    sequential: true,
    neuron: DEFAULT_NEURON,
    meter,
    membranes: new Map(),
    exhaustive: false,
    notes: new Map(),
    raster: null,
  });
  const [steps = 0, ...rest] = input.shape;
  const x = tensorOf(input.values, [steps, 1, ...rest], codeOf(input.values));
  const options = { out: weight.shape.at(-1) ?? 0, bias: false };
  const apply = {
    linear: () => operations.linear('layer', x, options),
    convolution: () =>
      operations.convolution('layer', x, { ...options, kernel: 3, stride: layer.stride ?? 1 }),
    product: () =>
      operations.product(
        x,
        tensorOf(weight.values, [steps, 1, ...weight.shape.slice(1)], codeOf(weight.values)),
      ),
  };
  const output = apply[layer.kind]();
  const total = (key: 'synapticEvents' | 'macs' | 'acs'): number =>
    meter.layers.reduce((sum, counts) => sum + counts[key], 0);
  const counts = {
    synapticEvents: total('synapticEvents'),
    macs: total('macs'),
    acs: total('acs'),
  };
  return { output, counts };
};

const layers = countedLayers().map((layer, index) => {
  const { shape } = flattened(layer.input);
  return [`${layer.kind} ${index + 1} of [${shape.join(', ')}]`, layer] as const;
});

describe('SpikingJelly counts what the meter counts', () => {
  it.each(layers)('%s', (_name, layer) => {
    const { output, counts } = run(layer);
    expect(counts).toEqual(layer.counts);
    const expected = flattened(layer.output).values;
    const distances = output.values.map((value, at) => Math.abs(value - (expected[at] ?? NaN)));
    expect(Math.max(...distances)).toBeLessThan(1e-5);
  });

  it('on spikes and on numbers', () => {
    const counted = countedLayers().map(({ counts }) => counts);
    expect(counted.filter(({ synapticEvents }) => synapticEvents > 0)).toHaveLength(5);
    expect(counted.filter(({ macs }) => macs > 0)).toHaveLength(1);
  });
});
