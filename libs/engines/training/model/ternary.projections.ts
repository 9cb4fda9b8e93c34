/**
 * BitNet b1.58 while it is learned: products see ternary matrices and 8-bit activations, gradients
 * pass both roundings as if they were none (the straight-through estimator).
 */
import * as tf from '@tensorflow/tfjs-core';
import { LARGEST_BYTE, SCALE_EPSILON } from '../../quantization/bitnet/ternarize.js';
import { differentiable } from './llama.gradients.js';
import { type Projections } from './projections.js';

const straightThrough = (rounded: (x: tf.Tensor) => tf.Tensor) =>
  differentiable(
    (x: tf.Tensor) => ({ value: rounded(x), keep: [] }),
    (dy) => [dy],
  );

const ternary = straightThrough((weights) => {
  const scale = tf.mean(tf.abs(weights));
  const rounded = tf.round(tf.div(weights, tf.add(scale, SCALE_EPSILON)));
  return tf.mul(tf.clipByValue(rounded, -1, 1), scale);
});

/** Each row by its own scale. */
const bytes = straightThrough((rows) => {
  const largest = tf.maximum(tf.max(tf.abs(rows), -1, true), SCALE_EPSILON);
  const factor = tf.div(LARGEST_BYTE, largest);
  return tf.div(tf.round(tf.mul(rows, factor)), factor);
});

export const TERNARY_PROJECTIONS: Projections = {
  matrix: (_, stored) => ternary(stored),
  input: (activations) => bytes(activations),
};
