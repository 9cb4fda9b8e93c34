/** What the diffusion model learns: the noise in a picture, and what a clean picture shows. */
import * as tf from '@tensorflow/tfjs-core';
import { readoutOf } from '#engines/spiking/heads.js';
import {
  denoise,
  detect,
  LEVELS,
  noiseIn,
  signalAt,
} from '#engines/spiking/models/spiking-diffusion.model.js';
import { crossEntropy } from '#engines/training/model/llama.gradients.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import type { NativeLoss } from './recipe.js';
import { cleanPictures, noisyShapes } from './tasks/noisy-shapes.task.js';

const PIXELS = 64;

const classLoss = (logits: tf.Tensor, labels: Int32Array): tf.Tensor => {
  const weights = new Float32Array(labels.length).fill(1 / labels.length);
  return crossEntropy(tf.reshape(logits, [labels.length, -1]), labels, weights);
};

const noise = (random: SeededRandom, count: number): tf.Tensor =>
  tf.tensor(
    Float32Array.from({ length: count * PIXELS }, () => random.normal()),
    [1, count, PIXELS],
  );

/**
 * The mean squared error of the noise at a random level, and the detector's cross-entropy on clean
 * and on denoised pictures. The detector does not teach the denoiser.
 */
export const diffusionLoss = (seed: number): NativeLoss => {
  const random = seededRandom(seed);
  const readout = readoutOf('native', noisyShapes.classes.length);
  return (ops, x, labels) => {
    const { pictures, labels: shown } = cleanPictures(random, labels.length);
    const clean = tf.tensor(pictures, [1, labels.length, PIXELS]);
    const added = noise(random, labels.length);
    const level = random.below(LEVELS);
    const signal = signalAt(level);
    const sample = tf.add(tf.mul(clean, Math.sqrt(signal)), tf.mul(added, Math.sqrt(1 - signal)));
    const error = tf.sub(noiseIn<tf.Tensor>(ops, sample, level), added);
    const squares = tf.mul(tf.sum(tf.square(error), [0, 1, 2]), 1 / error.size);
    const noisy = tf.reshape(x, [1, labels.length, PIXELS]);
    const denoised = tf.tensor(denoise<tf.Tensor>(ops, noisy).dataSync<'float32'>(), noisy.shape);
    const seen = tf.add(
      classLoss(detect<tf.Tensor>(ops, clean, readout), shown),
      classLoss(detect<tf.Tensor>(ops, denoised, readout), labels),
    );
    return tf.add(tf.mul(squares, 4), tf.mul(seen, 0.5));
  };
};
