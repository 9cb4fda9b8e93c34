import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import {
  type Batch,
  lossAndGradients,
  lossOf,
  plainLearner,
  startTensorFlow,
} from '../gradient.shard.js';
import { initialTensors, LlamaModel } from './llama.model.js';
import { seededRandom } from '../seeded-random.js';

const SHAPE = {
  vocabulary: 40,
  width: 16,
  layers: 2,
  heads: 2,
  feedForwardWidth: 24,
  contextLength: 16,
  ropeBase: 10_000,
  normEpsilon: 1e-5,
};

const NUDGE = 1e-2;

describe('gradients written by hand', () => {
  beforeAll(startTensorFlow);

  it('equal the slope of the loss for every tensor of the model', () => {
    const random = seededRandom(5);
    const model = new LlamaModel(SHAPE, initialTensors(SHAPE, random));
    const drawIds = () => Int32Array.from({ length: 12 }, () => random.below(SHAPE.vocabulary));
    const task: Batch = {
      ids: drawIds(),
      targets: drawIds(),
      weights: new Float32Array(12).fill(1 / 12),
      rows: 2,
    };
    const { gradients } = lossAndGradients(plainLearner(model), task);
    for (const [name, variable] of model.variables) {
      const gradient = gradients[variable.name]?.dataSync<'float32'>() ?? new Float32Array();
      const values = variable.dataSync().slice();
      // The steepest entry stands clear of the rounding of 32-bit losses.
      const steepest = gradient.reduce(
        (best, slope, index) => (Math.abs(slope) > Math.abs(gradient[best] ?? 0) ? index : best),
        0,
      );
      const lossAt = (change: number): number => {
        const moved = values.slice();
        moved[steepest] = (moved[steepest] ?? 0) + change;
        variable.assign(tf.tensor(moved, variable.shape));
        return lossOf(model, task);
      };
      const slope = (lossAt(NUDGE) - lossAt(-NUDGE)) / (2 * NUDGE);
      lossAt(0);
      expect({ name, ratio: slope / (gradient[steepest] ?? 0) }).toEqual({
        name,
        ratio: expect.closeTo(1, 1),
      });
    }
  });
});
