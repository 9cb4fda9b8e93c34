/** What makes the reservoir a liquid state machine. */
import { describe, expect, it } from '@jest/globals';
import { readoutOf } from '#engines/spiking/heads.js';
import { hybridLsm } from '#engines/spiking/models/hybrid-lsm.model.js';
import { kindOf, NEURONS, recurrentWeights } from '#engines/spiking/models/reservoir.wiring.js';
import { drawExamples } from './examples.js';
import { ratesOf, wiring } from './liquid.trainer.js';
import { ridge } from './ridge.js';
import { spikeTemplates } from './tasks/spike-templates.task.js';

const EXAMPLES = 24;
const WIRING = wiring();
const STEPS = 8;
const readout = readoutOf('native', 4);
const source = { architecture: hybridLsm, task: spikeTemplates, steps: STEPS };

/** Rank of the rows: how many are left when each has lost what the ones before it explain. */
const rankOf = (rows: readonly Float32Array[]): number => {
  const basis: Float32Array[] = [];
  const dot = (one: Float32Array, other: Float32Array): number =>
    one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
  for (const row of rows) {
    let rest = row;
    for (const unit of basis) {
      const share = dot(rest, unit);
      rest = rest.map((value, place) => value - share * (unit[place] ?? 0));
    }
    const length = Math.hypot(...rest);
    if (length > 0.05 * Math.hypot(...row)) basis.push(rest.map((value) => value / length));
  }
  return basis.length;
};

describe('reservoir', () => {
  const weights = recurrentWeights();
  const row = (neuron: number) => weights.subarray(neuron * NEURONS, (neuron + 1) * NEURONS);

  it('has one sign for each neuron, four in five excitatory, and no loops', () => {
    const neurons = Array.from({ length: NEURONS }, (_, neuron) => neuron);
    for (const neuron of neurons) {
      const sign = kindOf(neuron) === 'excitatory' ? 1 : -1;
      expect(row(neuron).every((weight) => weight === 0 || Math.sign(weight) === sign)).toBe(true);
      expect(row(neuron)[neuron]).toBe(0);
    }
    expect(neurons.filter((neuron) => kindOf(neuron) === 'excitatory')).toHaveLength(160);
  });

  it('is wired sparsely, and alike every time', () => {
    const links = weights.filter((weight) => weight !== 0).length;
    expect(links / NEURONS).toBeGreaterThan(2);
    expect(links / NEURONS).toBeLessThan(12);
    expect(recurrentWeights()).toEqual(weights);
  });

  it('gives different inputs different states: the rank of the state matrix is high', () => {
    const examples = drawExamples(source, 'native', 'held-out', 1, EXAMPLES);
    const states = examples.map(({ x }) => ratesOf(WIRING, x, readout));
    expect(rankOf(states)).toBeGreaterThanOrEqual(EXAMPLES - 2);
  });

  it('forgets where it started', () => {
    const [example] = drawExamples(source, 'native', 'held-out', 2, 1);
    if (example === undefined) throw new Error('no example');
    const disturbed = new Map([['reservoir', new Float32Array(NEURONS).fill(0.8)]]);
    const atRest = ratesOf(WIRING, example.x, readout);
    const moved = ratesOf(WIRING, example.x, readout, disturbed);
    const apart = (window: number): number => {
      const part = atRest.slice(window * NEURONS, (window + 1) * NEURONS);
      return part.reduce(
        (sum, rate, neuron) => sum + Math.abs(rate - (moved[window * NEURONS + neuron] ?? 0)),
        0,
      );
    };
    expect(apart(0)).toBeGreaterThan(0);
    expect(apart(3)).toBeLessThan(0.2 * apart(0));
  });
});

describe('ridge', () => {
  it('finds the weights of a linear rule', () => {
    const rows = Array.from({ length: 40 }, (_, index) => {
      const features = Float32Array.of(Math.sin(index), Math.cos(2 * index));
      return { features, label: (features[0] ?? 0) > 0 ? 1 : 0 };
    });
    const { weight, bias } = ridge(rows, 2, 1e-6);
    // The outputs of the two classes add up to 1 for every input.
    expect((weight[0] ?? NaN) + (weight[1] ?? NaN)).toBeCloseTo(0, 4);
    expect((bias[0] ?? NaN) + (bias[1] ?? NaN)).toBeCloseTo(1, 4);
    const correct = rows.filter(({ features, label }) => {
      const score = (place: number): number =>
        (features[0] ?? 0) * (weight[place] ?? 0) + (features[1] ?? 0) * (weight[2 + place] ?? 0);
      return score(1) + (bias[1] ?? 0) > score(0) + (bias[0] ?? 0) === (label === 1);
    });
    expect(correct.length).toBeGreaterThanOrEqual(38);
  });
});
