import { type Architecture, type Readout } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { GLYPH_PIXELS, GLYPHS } from './glyph-patterns.js';

const UPDATES_MAX = 8;
/** Learned prototypes lie close together: more updates would end in the mean of them all. */
const TEXT_UPDATES = 1;
const SETTLED = 1e-4;
/** Inverse temperature: pixels are scaled so that a picture has about length 1. */
const BETA = 16;
/** Learned prototypes of texts. */
const TEXT_PATTERNS = 32;

const SCALE = 1 / Math.sqrt(GLYPH_PIXELS);

/** `-lse(beta, X xi) + |xi|^2 / 2` (Ramsauer et al., 2021), less its constants. */
export const energyOf = (state: Float32Array, patterns: readonly Float32Array[]): number => {
  const dots = patterns.map((pattern) =>
    state.reduce((sum, value, at) => sum + value * (pattern[at] ?? 0), 0),
  );
  const top = Math.max(...dots);
  const powers = dots.reduce((sum, dot) => sum + Math.exp(BETA * (dot - top)), 0);
  const square = state.reduce((sum, value) => sum + value * value, 0);
  return -top - Math.log(powers) / BETA + square / 2;
};

const furthest = (one: Float32Array, other: Float32Array): number =>
  one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0);

/** Rows of an array of `[rows, GLYPH_PIXELS]`. */
const rowsOf = (values: Float32Array): readonly Float32Array[] =>
  Array.from({ length: values.length / GLYPH_PIXELS }, (_, row) =>
    values.subarray(row * GLYPH_PIXELS, (row + 1) * GLYPH_PIXELS),
  );

/** Stored pictures for the native head; learned prototypes of the domains for the text head. */
const patternsOf = <Tensor extends Shaped>(ops: Operations<Tensor>, { head }: Readout): Tensor => {
  if (head === 'text') {
    const drawn = { initial: { deviation: 2 * SCALE } };
    return ops.parameter('text.patterns', [1, 1, TEXT_PATTERNS, GLYPH_PIXELS], drawn);
  }
  const shape = [1, 1, GLYPHS.length, GLYPH_PIXELS];
  const values = Float32Array.from(
    GLYPHS.flatMap((glyph) => [...glyph]),
    (pixel) => pixel * SCALE,
  );
  return ops.parameter('patterns', shape, { initial: { values }, trained: false });
};

/**
 * Iterates `xi = X softmax(beta X^T xi)` to a fixed point. @returns similarities to each pattern
 */
const retrieve = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  cue: Tensor,
  patterns: Tensor,
  updatesMax: number,
): Tensor => {
  const across = ops.transpose(patterns, [0, 1, 3, 2]);
  const stored = rowsOf(ops.valuesOf(patterns));
  let state = cue;
  // Of the first input of a batch: a run that is measured has one.
  const energy = (): number => energyOf(ops.valuesOf(state).subarray(0, GLYPH_PIXELS), stored);
  const energies = [energy()];
  for (let update = 0; update < updatesMax; update += 1) {
    const shares = ops.softmax(ops.scale(ops.product(state, across), BETA));
    const next = ops.product(shares, patterns);
    const moved = furthest(ops.valuesOf(next), ops.valuesOf(state));
    state = next;
    energies.push(energy());
    if (moved < SETTLED && !ops.exhaustive) break;
  }
  ops.note('energies', energies);
  return ops.product(state, across);
};

const inWords = (energy: number | undefined): string => (energy ?? 0).toFixed(4);

/** A dense memory settles; one neuron for each pattern then fires the sooner, the closer it is. */
export const modernHopfield: Architecture = {
  name: 'modern-hopfield',
  slug: 'snnlib/modern-hopfield-ebm',
  displayName: 'Modern Hopfield',
  routingMode: 'hybrid_hopfield',
  architecture: 'modern Hopfield network of eight patterns, latency code of one LIF neuron each',
  input: { shape: [8, 8], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'latency',
  forward(ops, x, readout) {
    const [, batch = 1] = x.shape;
    const cue =
      readout.head === 'text'
        ? ops.linear('text.in', x, { out: GLYPH_PIXELS, gain: 1 })
        : ops.scale(ops.reshape(x, [1, batch, GLYPH_PIXELS]), SCALE);
    const patterns = patternsOf(ops, readout);
    const updatesMax = readout.head === 'text' ? TEXT_UPDATES : UPDATES_MAX;
    const start = ops.reshape(cue, [1, 1, batch, GLYPH_PIXELS]);
    const closeness = retrieve(ops, start, patterns, updatesMax);
    const gain = ops.parameter('latency.gain', [1], { initial: { value: 3 } });
    const count = readout.head === 'text' ? TEXT_PATTERNS : GLYPHS.length;
    const drive = ops.reshape(ops.multiply(closeness, gain), [1, batch, count]);
    const spikes = ops.neuron('latency', ops.hold(drive));
    return ops.mean(ops.linear(readout.name, spikes, { out: readout.classes, gain: 1 }), 0);
  },
  describe({ notes }) {
    const energies = notes.get('energies') ?? [];
    return {
      architecture_type: 'associative memory, spiking latency code',
      front_end: `${energies.length - 1} updates to the fixed point`,
      back_end: 'one LIF neuron for each pattern: the first to fire is the closest',
      feature_map_dim: `${GLYPHS.length} patterns of ${GLYPH_PIXELS}`,
      synergy_mechanism: `energy from ${inWords(energies[0])} to ${inWords(energies.at(-1))}`,
    };
  },
};
