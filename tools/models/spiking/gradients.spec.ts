/** Gradients written by hand against differences of the values. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { startSpikingTraining } from './network.trainer.js';
import { patches } from './patches.kernels.js';
import { sliceProduct } from './slice-products.kernel.js';

const STEP = 1e-2;

const numbers = (length: number, phase: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => Math.sin(1.7 * index + phase));

/** The gradient of `sum(weights * f(x))` by TensorFlow, and by central differences. */
const gradientsOf = (
  f: (x: tf.Tensor) => tf.Tensor,
  shape: number[],
): readonly [Float32Array, Float32Array] => {
  const values = numbers(
    shape.reduce((product, length) => product * length, 1),
    0.3,
  );
  const loss = (x: tf.Tensor): tf.Scalar => {
    const y = f(x);
    return tf.sum(tf.mul(y, tf.tensor(numbers(y.size, 1), y.shape)));
  };
  const at = (place: number, change: number): number => {
    const moved = values.slice();
    moved[place] = (moved[place] ?? 0) + change;
    return tf.tidy(() => loss(tf.tensor(moved, shape)).dataSync()[0] ?? NaN);
  };
  const exact = tf.tidy(() => tf.grad(loss)(tf.tensor(values, shape)).dataSync<'float32'>());
  const differences = values.map((_, place) => (at(place, STEP) - at(place, -STEP)) / (2 * STEP));
  return [exact, differences];
};

describe('gradients', () => {
  beforeAll(startSpikingTraining);

  it.each<[string, (x: tf.Tensor) => tf.Tensor, number[]]>([
    ['slices on the left', (x) => sliceProduct(x, tf.tensor(numbers(24, 2), [2, 4, 3])), [2, 2, 4]],
    [
      'slices on the right',
      (x) => sliceProduct(tf.tensor(numbers(16, 2), [2, 2, 4]), x),
      [2, 4, 3],
    ],
    [
      'patches of stride 2',
      (x) => patches(x, { height: 3, width: 4, channels: 2, kernel: 3, stride: 2 }),
      [2, 3, 4, 2],
    ],
    ['broadcast products', (x) => tf.mul(x, tf.tensor(numbers(12, 5), [2, 2, 3])), [2, 1, 3]],
    ['broadcast sums', (x) => tf.square(tf.add(tf.tensor(numbers(12, 5), [2, 2, 3]), x)), [3]],
    ['sums over an axis', (x) => tf.square(tf.sum(x, 1)), [2, 3, 2]],
    ['slices', (x) => tf.square(tf.slice(x, [0, 1], [2, 2])), [2, 4]],
    ['softmax', (x) => tf.softmax(x), [2, 4]],
    ['sine, cosine and exponential', (x) => tf.mul(tf.sin(x), tf.exp(tf.cos(x))), [5]],
    ['hyperbolic tangent and sigmoid', (x) => tf.mul(tf.tanh(x), tf.sigmoid(x)), [5]],
  ])('of %s are those of their differences', (_, f, shape) => {
    const [exact, differences] = gradientsOf(f, shape);
    for (const [place, value] of exact.entries()) {
      expect(value).toBeCloseTo(differences[place] ?? NaN, 2);
    }
  });
});
