import { readoutOf } from '#engines/spiking/heads.js';
import type { Architecture, Readout } from '#engines/spiking/model.js';
import { hybridLsm, liquidRates } from '#engines/spiking/models/hybrid-lsm.model.js';
import {
  inputWeights,
  NEURONS,
  recurrentWeights,
} from '#engines/spiking/models/reservoir.wiring.js';
import type { DataTensor } from '#engines/spiking/operations/tensor.js';
import { runMetered } from '#engines/spiking/run.js';
import type { NamedTensor, NamedTensors } from '#platform/safetensors/safetensors.js';
import { drawExamples, type ExampleSource } from './examples.js';
import { ridge } from './ridge.js';

const EXAMPLES = 2000;
const PENALTY = 2;

/** The reservoir as it is drawn, with no read-out. */
export const wiring = (): ReadonlyMap<string, NamedTensor> => {
  const matrix = (rows: number, values: Float32Array) => ({ shape: [rows, NEURONS], values });
  return new Map([
    ['input.native.weight', matrix(12, inputWeights(12))],
    ['input.text.weight', matrix(128, inputWeights(128))],
    ['recurrent.weight', matrix(NEURONS, recurrentWeights())],
  ]);
};

/** The network without its read-out. */
const reservoir: Architecture = {
  ...hybridLsm,
  forward: (ops, x, { head }) => liquidRates(ops, x, head),
};

/** What the read-out sees of one input. */
export const ratesOf = (
  weights: NamedTensors,
  x: DataTensor,
  readout: Readout,
  membranes = new Map<string, Float32Array>(),
): Float32Array => {
  const steps = x.shape[0] ?? 1;
  const options = { weights, steps, neuron: reservoir.neuron.model, membranes };
  return runMetered(reservoir, x, readout, options).logits;
};

/** Draws the reservoir, runs it on examples of both heads, and fits a read-out for each. */
export const learnLiquid = (source: ExampleSource & { readonly seed: number }): NamedTensors => {
  const weights = new Map(wiring());
  for (const head of ['native', 'text'] as const) {
    const readout = readoutOf(head, source.task.classes.length);
    const { name, classes } = readout;
    const examples = drawExamples(source, head, 'training', source.seed, EXAMPLES);
    const rows = examples.map(({ x, label }) => ({
      features: ratesOf(weights, x, readout),
      label,
    }));
    const { weight, bias } = ridge(rows, classes, PENALTY);
    weights.set(`${name}.weight`, { shape: [weight.length / classes, classes], values: weight });
    weights.set(`${name}.bias`, { shape: [classes], values: bias });
  }
  return weights;
};
