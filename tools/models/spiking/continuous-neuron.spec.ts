/** The slopes of a continuous neuron against differences, and their way back through time. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import { stepContinuousLif } from '#engines/spiking/neurons/continuous-lif.js';
import { DEFAULT_NEURON } from '#engines/spiking/neurons/neuron.js';
import { SURROGATES } from '#engines/spiking/neurons/surrogates.js';
import { slopesOfStep } from './continuous-neuron.kernels.js';
import { startSpikingTraining } from './network.trainer.js';
import { spike } from './neuron.kernels.js';

const CONTINUOUS = { ...DEFAULT_NEURON, model: 'ContinuousLIFNode' } as const;
const STEP = 1e-5;

const differenceOf = (f: (change: number) => number): number => (f(STEP) - f(-STEP)) / (2 * STEP);

const below = fc.double({ min: -1, max: 0.95, noNaN: true });

describe('slopes of a continuous neuron', () => {
  it.each([
    ['with', true, 0],
    ['without', false, 0],
    ['with', true, null],
  ] as const)('are those of its solution, %s a leak of the input', (_, decayInput, resetTo) => {
    const settings = { ...CONTINUOUS, decayInput, resetTo };
    const quiet = fc.double({ min: -2, max: 0.45, noNaN: true });
    fc.assert(
      fc.property(below, quiet, (membrane, current) => {
        const after = (v: number, i: number): number => stepContinuousLif(v, i, settings).membrane;
        const slopes = slopesOfStep(membrane, current, settings);
        const [byMembrane, byCurrent] = [
          differenceOf((change) => after(membrane + change, current)),
          differenceOf((change) => after(membrane, current + change)),
        ];
        expect(slopes.ofMembrane).toBeCloseTo(byMembrane, 6);
        expect(slopes.ofCurrent).toBeCloseTo(byCurrent, 6);
      }),
    );
  });

  it('are those of what follows a spike, whose time counts as given', () => {
    // Below 4.09 the lowest membrane does not reach the threshold.
    const strong = fc.double({ min: 4.2, max: 9, noNaN: true });
    fc.assert(
      fc.property(below, strong, (membrane, current) => {
        const { firedAt } = stepContinuousLif(membrane, current, CONTINUOUS);
        const left = 1 - (firedAt ?? Number.NaN);
        const after = (i: number): number => i * (1 - Math.exp(-left / CONTINUOUS.tau));
        expect(stepContinuousLif(membrane, current, CONTINUOUS).membrane).toBeCloseTo(
          after(current),
          9,
        );
        const slopes = slopesOfStep(membrane, current, CONTINUOUS);
        expect(slopes.ofCurrent).toBeCloseTo(
          differenceOf((change) => after(current + change)),
          6,
        );
        expect(slopes.ofMembrane).toBe(0);
      }),
    );
  });
});

describe('the gradient of a continuous neuron', () => {
  beforeAll(startSpikingTraining);

  const settings = { ...CONTINUOUS, surrogate: 'atan', detachReset: true } as const;
  const kept = Math.exp(-1 / CONTINUOUS.tau);

  /** Gradients of the spike of the last step by the current of each. */
  const gradientOf = (currents: readonly number[]): readonly number[] => {
    const last = tf.tensor2d(currents.map((_, at) => [+(at === currents.length - 1)]));
    const loss = (x: tf.Tensor): tf.Scalar =>
      tf.sum(tf.mul(spike(x, tf.tensor1d([1 / CONTINUOUS.tau]), settings), last));
    return tf.tidy(() => [
      ...tf
        .grad(loss)(tf.tensor2d(currents.map((current) => [current])))
        .dataSync(),
    ]);
  };

  it('goes back through the membrane', () => {
    const potential = 0.7 + (0.5 * (1 - kept) - 0.7) * kept;
    const slope = SURROGATES.atan(potential - 1);
    const [first, second] = gradientOf([0.5, 0.7]);
    expect(first).toBeCloseTo(slope * kept * (1 - kept), 5);
    expect(second).toBeCloseTo(slope * (1 - kept), 5);
  });

  it('goes back to what followed a spike, and not beyond', () => {
    const [early, fired, last] = gradientOf([0.5, 5, 0.3]);
    const { membrane, firedAt } = stepContinuousLif(0.5 * (1 - kept), 5, CONTINUOUS);
    const slope = SURROGATES.atan(0.3 + (membrane - 0.3) * kept - 1);
    const left = 1 - Math.exp(-(1 - (firedAt ?? Number.NaN)) / CONTINUOUS.tau);
    expect(early).toBe(0);
    expect(fired).toBeCloseTo(slope * kept * left, 5);
    expect(last).toBeCloseTo(slope * (1 - kept), 5);
  });
});
