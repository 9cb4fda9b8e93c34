import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stepContinuousLif, timeToThreshold } from './continuous-lif.js';
import { DEFAULT_NEURON, leakOf, leakParameterOf, stepLif, type NeuronSettings } from './neuron.js';
import { atan, fastSigmoid, sigmoid } from './surrogates.js';

/** Potentials after each step and spikes of one neuron, from rest. */
const run = (settings: NeuronSettings, currents: readonly number[]) => {
  const membrane = new Float32Array([settings.resetTo ?? 0]);
  const spike = new Float32Array(1);
  return currents.map((current) => {
    stepLif(membrane, Float32Array.of(current), spike, 1 / settings.tau, settings);
    return [membrane[0], spike[0]];
  });
};

const LIF = { ...DEFAULT_NEURON, tau: 4 };

describe('LIFNode', () => {
  it('moves the membrane towards the input by its leak', () => {
    // h = v + (x - v) / 4, by hand.
    expect(run(LIF, [2, 2, 0])).toEqual([
      [0.5, 0],
      [0.875, 0],
      [0.65625, 0],
    ]);
  });

  it('adds the whole input where the leak does not scale it', () => {
    const settings = { ...LIF, decayInput: false };
    expect(run(settings, [0.5, 0.5])).toEqual([
      [0.5, 0],
      [0.875, 0],
    ]);
  });

  it('fires at the threshold itself', () => {
    expect(run(LIF, [4])).toEqual([[0, 1]]);
    expect(run(LIF, [3.999999])).toEqual([[Math.fround(3.999999 / 4), 0]]);
  });

  it('resets to the given potential, to which it also leaks', () => {
    const settings = { ...LIF, resetTo: -1 };
    // From -1: h = -1 + (8 - (-1 + 1)) / 4 = 1 fires; then h = -1 + 2 / 4.
    expect(run(settings, [8, 2])).toEqual([
      [-1, 1],
      [-0.5, 0],
    ]);
  });

  it('subtracts the threshold in a soft reset', () => {
    expect(run({ ...LIF, resetTo: null }, [6, 0])).toEqual([
      [0.5, 1],
      [0.375, 0],
    ]);
  });

  it('reports how many neurons fired', () => {
    const spikes = new Float32Array(3);
    const currents = Float32Array.of(4, 1, 5);
    expect(stepLif(new Float32Array(3), currents, spikes, 1 / 4, LIF)).toBe(2);
    expect([...spikes]).toEqual([1, 0, 1]);
  });
});

describe('PLIFNode', () => {
  it('starts with the time constant it is given', () => {
    for (const tau of [1.5, 2, 20]) expect(1 / leakOf(leakParameterOf(tau))).toBeCloseTo(tau, 10);
  });
});

describe('ContinuousLIFNode', () => {
  it('fires at the closed-form rate under a constant current', () => {
    const [limit, steps] = [1.3, 20_000];
    let [membrane, fired] = [0, 0];
    for (let step = 0; step < steps; step += 1) {
      const next = stepContinuousLif(membrane, limit, { ...LIF, model: 'ContinuousLIFNode' });
      membrane = next.membrane;
      if (next.firedAt !== null) fired += 1;
    }
    const rate = 1 / (LIF.tau * Math.log(limit / (limit - LIF.threshold)));
    expect(fired / steps).toBeCloseTo(rate, 4);
  });

  it('crosses the threshold when the exact solution does', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 0.99, noNaN: true }),
        fc.double({ min: 1.01, max: 5, noNaN: true }),
        (membrane, limit) => {
          const time = timeToThreshold(membrane, limit, LIF);
          const reached = limit + (membrane - limit) * Math.exp(-time / LIF.tau);
          expect(reached).toBeCloseTo(LIF.threshold, 9);
        },
      ),
    );
  });

  it('never fires below the threshold', () => {
    expect(timeToThreshold(0, 1, LIF)).toBe(Infinity);
    expect(stepContinuousLif(0.5, 0.9, LIF).firedAt).toBeNull();
  });

  it('integrates the rest of the step after it fired', () => {
    const { membrane, firedAt } = stepContinuousLif(0.9, 2, LIF);
    expect(firedAt).toBeCloseTo(4 * Math.log(1.1), 12);
    expect(membrane).toBeCloseTo(2 - 2 * Math.exp(-(1 - (firedAt ?? 0)) / 4), 12);
  });

  it('agrees with fine Euler steps of LIFNode', () => {
    const fine = { ...LIF, tau: LIF.tau * 1000 };
    const membrane = new Float32Array(1);
    for (let step = 0; step < 1000; step += 1) {
      stepLif(membrane, Float32Array.of(0.8), new Float32Array(1), 1 / fine.tau, fine);
    }
    expect(stepContinuousLif(0, 0.8, LIF).membrane).toBeCloseTo(membrane[0] ?? 0, 3);
  });
});

describe('surrogates', () => {
  it('have the slopes of their definitions', () => {
    expect(atan()(0)).toBe(1);
    expect(atan()(0.5)).toBeCloseTo(1 / (1 + (Math.PI / 2) ** 2), 12);
    expect(sigmoid()(0)).toBe(1);
    expect(fastSigmoid()(0)).toBe(1);
    expect(fastSigmoid()(0.04)).toBeCloseTo(0.25, 12);
  });

  it('are even and fall away from the threshold', () => {
    for (const slope of [atan(), sigmoid(), fastSigmoid()]) {
      expect(slope(-0.3)).toBeCloseTo(slope(0.3), 12);
      expect(slope(1)).toBeLessThan(slope(0.5));
    }
  });
});
