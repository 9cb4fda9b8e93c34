import { describe, expect, it } from '@jest/globals';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { MeteredOperations } from '../operations/metered.operations.js';
import { tensorOf } from '../operations/tensor.js';
import { Meter } from '../telemetry/meter.js';
import { discretise, recur, STATES } from './hybrid-ssm.model.js';

const DECAYS = Float32Array.from({ length: STATES }, (_, index) => Math.log(0.05 + 0.02 * index));
const FREQUENCIES = Float32Array.from({ length: STATES }, (_, index) => 0.1 + 0.06 * index);

const operations = (): MeteredOperations =>
  new MeteredOperations({
    weights: new Map([
      ['decay', { shape: [1, 1, STATES], values: DECAYS }],
      ['frequency', { shape: [1, 1, STATES], values: FREQUENCIES }],
    ]),
    steps: 8,
    sequential: true,
    neuron: DEFAULT_NEURON,
    meter: new Meter(),
    membranes: new Map(),
    exhaustive: false,
    notes: new Map(),
    raster: null,
  });

/**
 * scipy.signal.cont2discrete((A, B, C, D), 1, 'zoh') of SciPy 1.17.1 for two states, each as a real
 * system of two: A = [[-decay, -frequency], [frequency, -decay]], B = [1, 0].
 */
const BY_SCIPY = [
  [0.94647724, 0.05444791],
  [0.094964483, 0.598022044],
  [0.97380691, 0.557969472],
  [0.04832415, 0.446613284],
];

describe('state space', () => {
  it('is discretised as SciPy does it', () => {
    const { keep, gain } = discretise(operations());
    const found = [keep.re, keep.im, gain.re, gain.im].map(({ values }) =>
      [0, STATES - 1].map((state) => values[state] ?? NaN),
    );
    for (const [row, expected] of BY_SCIPY.entries()) {
      for (const [column, value] of expected.entries()) {
        expect(found[row]?.[column]).toBeCloseTo(value, 6);
      }
    }
  });

  it('gives by recurrence what convolution with its kernel gives', () => {
    const samples = 40;
    const u = Float32Array.from({ length: samples }, (_, k) => Math.sin(0.7 * k) + 0.2 * (k % 3));
    const { re, im } = recur(operations(), tensorOf(u, [samples, 1, 1]));
    const { gain } = discretise(operations());
    for (const state of [0, 7, STATES - 1]) {
      const decay = Math.exp(DECAYS[state] ?? 0);
      const turn = FREQUENCIES[state] ?? 0;
      const [gainRe, gainIm] = [gain.re.values[state] ?? 0, gain.im.values[state] ?? 0];
      let [sumRe, sumIm] = [0, 0];
      for (let k = 0; k < samples; k += 1) {
        const lag = samples - 1 - k;
        const size = Math.exp(-decay * lag) * (u[k] ?? 0);
        const [cos, sin] = [Math.cos(turn * lag), Math.sin(turn * lag)];
        sumRe += size * (cos * gainRe - sin * gainIm);
        sumIm += size * (cos * gainIm + sin * gainRe);
      }
      const last = (samples - 1) * STATES + state;
      expect(Math.abs((re.values[last] ?? NaN) - sumRe)).toBeLessThan(1e-5);
      expect(Math.abs((im.values[last] ?? NaN) - sumIm)).toBeLessThan(1e-5);
    }
  });
});
