import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_NEURON, type NeuronSettings } from '../neurons/neuron.js';
import { compareEnergy, joulesOf } from '../telemetry/energy.js';
import { Meter, type LayerCounts } from '../telemetry/meter.js';
import { Raster } from '../telemetry/raster.js';
import { MeteredOperations } from './metered.operations.js';
import { tensorOf, type DataTensor } from './tensor.js';

const weightsOf = (shapes: Readonly<Record<string, readonly number[]>>) =>
  new Map(
    Object.entries(shapes).map(([name, shape]) => {
      const length = shape.reduce((product, size) => product * size, 1);
      const values = Float32Array.from({ length }, (_, index) => Math.cos(3 * index));
      return [name, { shape, values }] as const;
    }),
  );

interface World {
  readonly ops: MeteredOperations;
  readonly meter: Meter;
  readonly drawing: Raster;
  readonly layer: (name: string) => LayerCounts;
}

const world = (
  weights: Readonly<Record<string, readonly number[]>> = {},
  options: Partial<NeuronSettings> & { readonly sequential?: boolean } = {},
): World => {
  const { sequential = false, ...neuron } = options;
  const [meter, drawing] = [new Meter(), new Raster()];
  const ops = new MeteredOperations({
    weights: weightsOf(weights),
    steps: 4,
    sequential,
    neuron: { ...DEFAULT_NEURON, ...neuron },
    meter,
    membranes: new Map(),
    exhaustive: false,
    notes: new Map(),
    raster: { layer: 'lif', drawing },
  });
  const layer = (name: string): LayerCounts => {
    const found = meter.layers.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no layer ${name}`);
    return found;
  };
  return { ops, meter, drawing, layer };
};

const spikesOf = (bits: string, shape: readonly number[]): DataTensor =>
  tensorOf(Float32Array.from(bits, Number), shape, 'binary');

const real = (length: number, shape: readonly number[]): DataTensor =>
  tensorOf(new Float32Array(length).fill(0.5), shape);

describe('what operations are charged', () => {
  it('multiplies numbers and adds spikes', () => {
    const { ops, layer } = world({ 'a.weight': [4, 3], 'a.bias': [3], 'b.weight': [4, 3] });
    ops.linear('a', real(4, [1, 1, 4]), { out: 3 });
    ops.linear('b', spikesOf('01100001', [2, 1, 4]), { out: 3, bias: false });
    expect(layer('a')).toMatchObject({ macs: 12, acs: 0, synapticEvents: 0, annMacs: 12 });
    // Three spikes over two steps; the ANN of a static input runs once.
    expect(layer('b')).toMatchObject({
      macs: 0,
      acs: 9,
      synapticEvents: 9,
      synapticEventsMax: 24,
      annMacs: 12,
    });
  });

  it('runs the ANN once for each element of a sequence', () => {
    const { ops, layer } = world({ 'a.weight': [4, 3] }, { sequential: true });
    ops.linear('a', spikesOf('01100001', [2, 1, 4]), { out: 3, bias: false });
    expect(layer('a').annMacs).toBe(24);
  });

  it('counts a small count of spikes as so many additions', () => {
    const { ops, layer } = world({ 'a.weight': [2, 5] });
    const two = ops.add(spikesOf('11', [1, 1, 2]), spikesOf('10', [1, 1, 2]));
    expect([two.code, ...two.values]).toEqual(['integer', 2, 1]);
    ops.linear('a', two, { out: 5, bias: false });
    expect(layer('a')).toMatchObject({ macs: 0, acs: 15, synapticEvents: 15 });
  });

  it('counts the edges of a graph by the out-degree of the node that fired', () => {
    const { ops, layer } = world({ 'g.weight': [2, 3] });
    // 0 -> 1, 0 -> 2, 1 -> 2; node 0 fires once, node 1 twice.
    const adjacency = spikesOf('011001000', [1, 1, 3, 3]);
    const means = ops.graph('g', spikesOf('101100', [1, 1, 3, 2]), adjacency, {
      out: 3,
      bias: false,
    });
    expect(layer('g')).toMatchObject({
      synapticEvents: (2 + 2) * 3,
      acs: 12,
      macs: 9,
      annMacs: 6 * 3 + 9,
      annAcs: 9,
    });
    const weight = ops.parameter('g.weight', [2, 3]).values;
    // Node 2 hears nodes 0 (first feature) and 1 (both), and takes the mean.
    const heard = [0, 1, 2].map((o) => (2 * (weight[o] ?? 0) + (weight[3 + o] ?? 0)) / 2);
    expect(Array.from(means.values.slice(6), (mean) => mean.toFixed(5))).toEqual(
      heard.map((mean) => mean.toFixed(5)),
    );
    expect([...means.values.slice(0, 3)]).toEqual([0, 0, 0]);
  });

  it('counts the pairs of spikes in a product of two layers of spikes', () => {
    const { ops, meter } = world();
    const product = ops.product(spikesOf('1101', [1, 1, 2, 2]), spikesOf('1110', [1, 1, 2, 2]));
    expect([...product.values]).toEqual([2, 1, 1, 0]);
    expect(meter.layers[0]).toMatchObject({ macs: 0, acs: 4, synapticEvents: 4, annMacs: 8 });
  });

  it('gates by spikes without multiplying', () => {
    const { ops, meter } = world();
    ops.multiply(spikesOf('10', [1, 1, 2]), real(2, [1, 1, 2]));
    expect(meter.layers[0]).toMatchObject({ macs: 0, acs: 0, annMacs: 2 });
  });

  it('decays each membrane at each step, and subtracts where the reset is soft', () => {
    const soft = world({}, { resetTo: null });
    soft.ops.neuron('lif', tensorOf(Float32Array.of(3, 0, 3, 0), [2, 1, 2]));
    expect(soft.layer('lif')).toMatchObject({ macs: 4, acs: 2, spikes: 2, neurons: 2 });
    const hard = world();
    hard.ops.neuron('lif', tensorOf(Float32Array.of(3, 0, 3, 0), [2, 1, 2]));
    expect(hard.layer('lif')).toMatchObject({ macs: 4, acs: 0, quiescentNeurons: 1 });
  });
});

describe('spikes', () => {
  it('are what the raster draws, and a run carries its membranes on', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: 0, max: 4, noNaN: true }), { minLength: 12, maxLength: 12 }),
        (currents) => {
          const whole = world();
          const current = Float32Array.from(currents);
          const together = whole.ops.neuron('lif', tensorOf(current, [4, 1, 3]));
          const stepped = world();
          const apart = [0, 3, 6, 9].map((at) => {
            return stepped.ops.neuron('lif', tensorOf(current.slice(at, at + 3), [1, 1, 3])).values;
          });
          expect(apart.flatMap((values) => [...values])).toEqual([...together.values]);
          const drawn = whole.drawing.text();
          expect(drawn.split('\n').map((line) => line.length)).toEqual([4, 4, 4]);
          expect(drawn.split('|').length - 1).toBe(whole.layer('lif').spikes);
          expect(stepped.layer('lif')).toEqual(whole.layer('lif'));
        },
      ),
    );
  });
});

describe('energy', () => {
  it('halves with the spikes, exactly', () => {
    const { ops, layer } = world({ 'full.weight': [8, 6], 'half.weight': [8, 6] });
    ops.linear('full', spikesOf('11110000', [1, 1, 8]), { out: 6, bias: false });
    ops.linear('half', spikesOf('10100000', [1, 1, 8]), { out: 6, bias: false });
    expect(joulesOf(layer('full'))).toBe(2 * joulesOf(layer('half')));
  });

  it('equals the energy of Horowitz for each precision', () => {
    expect(joulesOf({ macs: 1e12, acs: 1e12 })).toBeCloseTo(5.5, 12);
    const { baselineJoules } = compareEnergy(
      { macs: 0, acs: 1 },
      { macs: 1e12, acs: 1e12 },
      'int8',
    );
    expect(baselineJoules).toBeCloseTo(0.23 + 0.9, 12);
  });

  it('reports a loss as a loss', () => {
    const lost = compareEnergy({ macs: 200, acs: 0 }, { macs: 100, acs: 0 }, 'fp32');
    expect(lost).toMatchObject({ reductionPct: -100, savingsRatio: '0.50x' });
    expect(lost.savedJoules).toBeLessThan(0);
  });
});

describe('parameters', () => {
  it('must be there in the shape that the network needs', () => {
    const { ops } = world({ 'a.weight': [4, 3] });
    const x = real(4, [1, 1, 4]);
    expect(() => ops.linear('b', x, { out: 3 })).toThrow('the weights have no b.weight');
    expect(() => ops.linear('a', x, { out: 2 })).toThrow('a.weight is [4, 3]');
  });
});
