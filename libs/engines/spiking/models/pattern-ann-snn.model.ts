import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { asNative } from './text-stem.js';

/** Votes by which the first class must lead the second to end a run early. */
export const EXIT_MARGIN = 8;

/** Whether every row of votes `[1, batch, classes]` has a clear winner. */
const isDecided = (votes: Float32Array, classes: number): boolean => {
  for (let at = 0; at < votes.length; at += classes) {
    const [first = 0, second = 0] = votes.slice(at, at + classes).sort((a, b) => b - a);
    if (first - second < EXIT_MARGIN) return false;
  }
  return true;
};

/** Adds up votes step by step, until they are decided or the timesteps are over. */
const vote = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  drive: Tensor,
  readout: { readonly name: string; readonly classes: number },
): Tensor => {
  // Where the run must not end early, all steps are one call.
  const chunk = ops.exhaustive ? ops.steps : 1;
  const step = (): Tensor => {
    const first = ops.neuron('lif1', ops.hold(drive, chunk));
    const second = ops.neuron('lif2', ops.linear('hidden', first, { out: 32, gain: 3 }));
    return ops.sum(ops.linear(readout.name, second, { out: readout.classes }), 0);
  };
  let votes = step();
  let used = chunk;
  while (used < ops.steps && !isDecided(ops.valuesOf(votes), readout.classes)) {
    const before = votes;
    votes = ops.again(() => ops.add(before, step()));
    used += chunk;
  }
  ops.note('steps', [used]);
  return ops.scale(votes, 1 / used);
};

/** Dense first: one pass of the encoder sets the current that the spiking part lives on. */
export const patternAnnSnn: Architecture = {
  name: 'pattern-ann-snn',
  slug: 'platform/pattern-ann-snn',
  displayName: 'Dense front end, spiking back end',
  routingMode: 'pattern_ann_snn',
  architecture: 'dense encoder run once, two LIF layers, vote with early exit (depth 4)',
  input: { shape: [32], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif2',
  forward(ops, x, readout) {
    const bins = asNative(ops, x, readout, [32]);
    const encoded = ops.map(ops.linear('encoder', bins, { out: 48 }), 'relu');
    return vote(ops, ops.linear('drive', encoded, { out: 48, gain: 2 }), readout);
  },
  describe: ({ notes, denseSparsityPct }) => ({
    architecture_type: 'dense front end, spiking back end',
    front_end: 'dense layer of 48 with ReLU, run once',
    back_end: `LIF layers of 48 and 32, ${notes.get('steps')?.[0] ?? 0} timesteps used`,
    feature_map_dim: '48',
    spatial_to_spike_sparsity: `${(denseSparsityPct ?? 0).toFixed(1)} % zeros after ReLU`,
    synergy_mechanism: `the run ends when the first class leads by ${EXIT_MARGIN} votes`,
  }),
};
