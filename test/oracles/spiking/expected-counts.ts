/**
 * The counts that the engine should have, from the counts of SpikingJelly and the known
 * differences.
 */
import { type EngineRun } from './engine-run.fixture.js';
import { type NetworkRun } from './vectors.js';

const FIGURES = ['synapticEvents', 'macs', 'acs'] as const;
type Figure = (typeof FIGURES)[number];

interface Difference {
  readonly figures: readonly Figure[];
  readonly why: string;
}

/** Figures of a whole network that are not comparable, and why. Those of its layers are. */
const DIFFERENT: Readonly<Record<string, Difference>> = {
  'hybrid-ssm': {
    figures: ['acs'],
    why: 'torch adds a complex number in one addition, and none for a complex product',
  },
  'spatio-temporal-gnn': {
    figures: ['acs'],
    why: 'the counter has no rule for sums over the edges of a graph',
  },
  'se3-equivariant-gnn native': {
    figures: ['acs'],
    why: 'the scalars before the first message are zeros, which it takes for silent spikes',
  },
  'pattern-spiking-transformer text': {
    figures: ['acs'],
    why: 'it takes a sum of spikes for spikes where no two of them meet',
  },
  'hybrid-vit': {
    figures: ['acs', 'synapticEvents'],
    why: 'of a sum of spikes times a spike, it also counts the sums that are 0',
  },
};

/**
 * MACs of layers whose inputs are numbers that may all be 0 or 1, as the scalars of points before
 * the first message and the rates of points that are all alike: SpikingJelly then sees spikes.
 */
const NUMBERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'se3-equivariant-gnn native': {
    'first.from': 24 * 16 * 16,
    'first.to': 24 * 16 * 16,
    pool: 8 * 16 * 48,
  },
};

const sumOf = (figures: Readonly<Record<string, number>>): number =>
  Object.values(figures).reduce((sum, figure) => sum + figure, 0);

/** Connections of weight 0 that spikes of the noise filter's input meet: its middle. */
const unweighted = (name: string, { head, input }: NetworkRun): number =>
  name === 'dvs-convnet' && head === 'native'
    ? 2 * (JSON.stringify(input).match(/1/g)?.length ?? 0)
    : 0;

/**
 * The counts of SpikingJelly for each layer, less products with the padding of a convolution, which
 * this engine leaves out; with connections of weight 0, which SpikingJelly leaves out where all
 * weights are zeros and ones; and with sums of spikes, which it multiplies, as additions.
 */
export const expectedLayers = (name: string, run: NetworkRun): EngineRun['layers'] => {
  const { layers, padding, sums } = run.counts;
  const expected = Object.entries(layers).map(([layer, { synapticEvents, macs }]) => {
    const added = sums[layer];
    const events = synapticEvents + (layer === 'support' ? unweighted(name, run) : 0);
    return added === undefined
      ? [layer, { synapticEvents: events, macs: macs - (padding[layer] ?? 0) }]
      : [layer, { synapticEvents: added, macs: 0 }];
  });
  const numbers = Object.entries(NUMBERS[`${name} ${run.head}`] ?? {}).map(([layer, macs]) => [
    layer,
    { synapticEvents: 0, macs },
  ]);
  return Object.fromEntries([...expected, ...numbers]) as EngineRun['layers'];
};

export const expectedTotals = (name: string, run: NetworkRun): EngineRun['totals'] => {
  const { layers, sums, totals } = run.counts;
  const own = expectedLayers(name, run);
  const changed = (figure: 'synapticEvents' | 'macs'): number =>
    totals[figure] +
    Object.keys(own).reduce(
      (sum, layer) => sum + (own[layer]?.[figure] ?? 0) - (layers[layer]?.[figure] ?? 0),
      0,
    );
  return {
    synapticEvents: changed('synapticEvents'),
    macs: changed('macs'),
    acs: totals.acs + unweighted(name, run) + sumOf(sums),
  };
};

/** The comparable figures of the whole network: most often all of them. */
export const comparableFigures = (name: string, { head }: NetworkRun): readonly Figure[] => {
  const different = DIFFERENT[name] ?? DIFFERENT[`${name} ${head}`];
  return FIGURES.filter((figure) => different?.figures.includes(figure) !== true);
};
