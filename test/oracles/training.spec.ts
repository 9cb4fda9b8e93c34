/** The losses and the training of `libs/engines/training` beside PyTorch's. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { AdamW } from '#engines/training/adam-w.optimizer.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { learnerOf, sharedModel } from '#engines/training/learner.js';
import { distillation, type DistillationTerms } from '#engines/training/model/distillation.loss.js';
import { type LlamaShape } from '#engines/training/model/llama-shape.js';
import { ParallelGradients } from '#engines/training/parallel-gradients.js';
import { distillationVectors } from './language-models/vectors.js';
import { batchAt, waveTensors } from '../bench/training-sines.js';

interface RunVectors {
  readonly shape: LlamaShape;
  readonly run: {
    readonly steps: number;
    readonly rows: number;
    readonly positions: number;
    readonly learningRate: number;
  };
  readonly terms: DistillationTerms;
  readonly losses: readonly number[];
}

const recorded = JSON.parse(
  readFileSync(new URL('./training/vectors/run.json', import.meta.url), 'utf8'),
) as RunVectors;

/** Of 32-bit floats: a millionth of the value, or of 1 where it is smaller. */
const apart = (value: number, wanted: number): number =>
  Math.abs(value - wanted) / Math.max(1, Math.abs(wanted));

describe('the loss of a distillation', () => {
  beforeAll(startTensorFlow);
  const { student, teacher, targets, weights, cases } = distillationVectors();
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const compared = () => ({
    teacher: tf.tensor2d(teacher.map((row) => [...row])),
    targets: Int32Array.from(targets),
    weights: Float32Array.from(weights, (weight) => weight / total),
  });

  it.each(cases)('and its gradient are those of PyTorch to 1e-6 at T = $temperature', (given) => {
    const logits = tf.tensor2d(student.map((row) => [...row]));
    const loss = (own: tf.Tensor): tf.Scalar => distillation(own, compared(), given);
    expect(apart(loss(logits).dataSync()[0] ?? NaN, given.loss)).toBeLessThan(1e-6);
    const gradient = tf.grad(loss)(logits).dataSync<'float32'>();
    const differences = given.gradient.flat().map((slope, at) => apart(gradient[at] ?? NaN, slope));
    expect(Math.max(...differences)).toBeLessThan(1e-6);
  });
});

describe('a short distillation', () => {
  it('has the losses of PyTorch to 1e-3 at every step', async () => {
    await startTensorFlow();
    const { shape, run, terms, losses } = recorded;
    const plan = {
      student: sharedModel(shape, waveTensors(shape, 1)),
      teacher: sharedModel(shape, waveTensors(shape, 2)),
      objective: { kind: 'distillation', ...terms },
      tuning: { kind: 'full' },
    } as const;
    const learner = learnerOf(plan);
    const gradients = await ParallelGradients.start(learner, plan);
    const optimizer = new AdamW();
    const own: number[] = [];
    for (let step = 0; step < run.steps; step += 1) {
      const found = await gradients.of(batchAt(step, run, shape.vocabulary));
      optimizer.step(learner.learned, found.gradients, run.learningRate);
      tf.dispose(found.gradients);
      own.push(found.loss);
    }
    await gradients.stop();
    const differences = losses.map((loss, step) => Math.abs(loss - (own[step] ?? NaN)));
    expect(Math.max(...differences)).toBeLessThan(1e-3);
    expect(own.at(-1)).toBeLessThan(own[0] ?? NaN);
  });
});
