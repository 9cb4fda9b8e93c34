import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-wasm';
import { attend, causalMask } from './operations.js';

const COUNT = 3;
const PAST = 2;
const WIDTH = 4;

/** Fixed numbers without a pattern. */
const noise = (seed: number, ...shape: number[]): tf.Tensor =>
  tf.tensor(
    Float32Array.from({ length: shape.reduce((product, side) => product * side, 1) }, (_, at) =>
      Math.sin(seed * 100 + at * 12.9898),
    ),
    shape,
  );

describe('attention', () => {
  beforeAll(async () => {
    await tf.setBackend('wasm');
    await tf.ready();
  });

  it('of heads that share a key equals the result of heads with copies of it', () => {
    const query = noise(1, COUNT, 4, WIDTH);
    const [keys, values] = [noise(2, 2, PAST + COUNT, WIDTH), noise(3, 2, PAST + COUNT, WIDTH)];
    const mask = causalMask(PAST, COUNT);
    const shared = attend(query, keys, values, mask);
    // Heads 0 and 1 read the first key, 2 and 3 the second.
    const copied = (one: tf.Tensor): tf.Tensor => tf.gather(one, [0, 0, 1, 1]);
    const apart = attend(query, copied(keys), copied(values), mask);
    expect([...shared.dataSync()]).toEqual([...apart.dataSync()]);
  });

  it('is the mean of the values it sees, weighed by softmax of scaled products', () => {
    const [query, keys] = [noise(1, COUNT, 1, WIDTH), noise(2, 1, PAST + COUNT, WIDTH)];
    const values = noise(3, 1, PAST + COUNT, WIDTH);
    const result = attend(query, keys, values, causalMask(PAST, COUNT)).arraySync() as number[][];
    const [q, [k = []], [v = []]] = [
      query.arraySync() as number[][][],
      keys.arraySync() as number[][][],
      values.arraySync() as number[][][],
    ];
    result.forEach((row, at) => {
      const seen = k.slice(0, PAST + at + 1);
      const weights = seen.map((key) => {
        const product = key.reduce((sum, value, i) => sum + value * (q[at]?.[0]?.[i] ?? 0), 0);
        return Math.exp(product / Math.sqrt(WIDTH));
      });
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      row.forEach((value, i) => {
        const expected = weights.reduce((sum, w, j) => sum + (w / total) * (v[j]?.[i] ?? 0), 0);
        expect(value).toBeCloseTo(expected, 5);
      });
    });
  });
});
