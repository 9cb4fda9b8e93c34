/**
 * The differentiable pieces of a Llama block with their gradients written out.
 *
 * TensorFlow.js could derive them, but its WASM backend multiplies matrices quickly (30 GFLOP/s
 * on one core, measured) only when they are two-dimensional and not transposed in the call; every
 * other product runs twelve times slower, and the gradient of `gather` has no kernel at all. So
 * each piece uses plain 2-D products and explicit transposes, forwards and backwards.
 */
import * as tf from '@tensorflow/tfjs-core';
import { multiplySlices } from './slice-product.kernel.js';

export type Operation<Inputs extends tf.Tensor[]> = (...inputs: Inputs) => tf.Tensor;

/**
 * Binds a forward pass to its gradient. `keep` is what the backward pass needs: the library drops
 * every other tensor of the forward pass, those a closure holds among them.
 */
export const differentiable = <Inputs extends tf.Tensor[], Kept extends tf.Tensor[] | []>(
  forward: (...inputs: Inputs) => { readonly value: tf.Tensor; readonly keep: Kept },
  backward: (dy: tf.Tensor, ...kept: Kept) => tf.Tensor[],
): Operation<Inputs> =>
  tf.customGrad((...inputsAndSave: (tf.Tensor | tf.GradSaveFunc)[]) => {
    // The library appends its save function to the inputs and types the two as one union.
    const { value, keep } = forward(...(inputsAndSave.slice(0, -1) as Inputs));
    (inputsAndSave.at(-1) as tf.GradSaveFunc)(keep);
    return { value, gradFunc: (dy, kept) => backward(dy, ...(kept as Kept)) };
  });

/** `x W` for x `[tokens, in]` and W `[in, out]`. */
export const linear = differentiable(
  (x: tf.Tensor, weight: tf.Tensor) => ({ value: tf.matMul(x, weight), keep: [x, weight] }),
  (dy, x, weight) => [tf.matMul(dy, tf.transpose(weight)), tf.matMul(tf.transpose(x), dy)],
);

/** Rows of `table` `[vocabulary, width]` for each id; the gradient is a one-hot product. */
export const embed = (table: tf.Tensor, ids: Int32Array): tf.Tensor =>
  differentiable(
    (weights: tf.Tensor2D) => ({
      value: tf.gather(weights, tf.tensor1d(ids, 'int32')),
      keep: [],
    }),
    (dy) => {
      const [size = 0] = table.shape;
      const oneHot = new Float32Array(size * ids.length);
      ids.forEach((id, token) => (oneHot[id * ids.length + token] = 1));
      return [tf.matMul(tf.tensor2d(oneHot, [size, ids.length]), dy)];
    },
  )(table as tf.Tensor2D);

/** Root-mean-square normalisation over the last axis, times a learned gain `[width]`. */
export const rmsNorm = (x: tf.Tensor, gain: tf.Tensor, epsilon: number): tf.Tensor =>
  differentiable(
    (input: tf.Tensor, weight: tf.Tensor) => {
      const scale = tf.rsqrt(tf.add(tf.mean(tf.square(input), -1, true), epsilon));
      const normed = tf.mul(input, scale);
      return { value: tf.mul(normed, weight), keep: [normed, scale, weight] };
    },
    (dy, normed, scale, weight) => {
      const inner = tf.mul(dy, weight);
      const along = tf.mean(tf.mul(inner, normed), -1, true);
      return [tf.mul(scale, tf.sub(inner, tf.mul(normed, along))), tf.sum(tf.mul(dy, normed), 0)];
    },
  )(x, gain);

/** `silu(gate) * up`. */
export const swiglu = differentiable(
  (gate: tf.Tensor, up: tf.Tensor) => {
    const sigma = tf.sigmoid(gate);
    return { value: tf.mul(tf.mul(gate, sigma), up), keep: [gate, up, sigma] };
  },
  (dy, gate, up, sigma) => {
    const silu = tf.mul(gate, sigma);
    const slope = tf.add(sigma, tf.mul(silu, tf.sub(1, sigma)));
    return [tf.mul(tf.mul(dy, up), slope), tf.mul(dy, silu)];
  },
);

interface RotaryTables {
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
  /** Swaps the halves of a head and negates the first: the "rotate half" of Hugging Face. */
  readonly half: tf.Tensor;
}

/** Tables of rotary position embedding, `[positions, headWidth]`, both halves of a head alike. */
export const rotaryTables = (positions: number, headWidth: number, base: number): RotaryTables => {
  const angles = new Float32Array(positions * headWidth);
  for (let position = 0; position < positions; position += 1) {
    for (let index = 0; index < headWidth; index += 1) {
      const frequency = base ** (-(2 * (index % (headWidth / 2))) / headWidth);
      angles[position * headWidth + index] = position * frequency;
    }
  }
  const half = new Float32Array(headWidth * headWidth);
  for (let index = 0; index < headWidth / 2; index += 1) {
    half[(index + headWidth / 2) * headWidth + index] = -1;
    half[index * headWidth + index + headWidth / 2] = 1;
  }
  const table = tf.tensor2d(angles, [positions, headWidth]);
  return {
    cos: tf.cos(table),
    sin: tf.sin(table),
    half: tf.tensor2d(half, [headWidth, headWidth]),
  };
};

/** A product with a constant is much faster than splitting and joining the last axis. */
const rotateHalf = (x: tf.Tensor, half: tf.Tensor): tf.Tensor =>
  tf.reshape(tf.matMul(tf.reshape(x, [-1, x.shape.at(-1) ?? 0]), half), x.shape);

/** Rotary position embedding of `[slices, positions, headWidth]`; its gradient turns back. */
export const rotate = (x: tf.Tensor, { cos, sin, half }: RotaryTables): tf.Tensor =>
  differentiable(
    (input: tf.Tensor) => ({
      value: tf.add(tf.mul(input, cos), tf.mul(rotateHalf(input, half), sin)),
      keep: [cos, sin, half],
    }),
    (dy, cosine, sine, swap) => [tf.sub(tf.mul(dy, cosine), tf.mul(rotateHalf(dy, swap), sine))],
  )(x);

const turned = (x: tf.Tensor): tf.Tensor => tf.transpose(x, [0, 2, 1]);

/** Causal attention, one slice per sequence and head; q, k, v: `[slices, positions, headWidth]`. */
export const attend = (q: tf.Tensor, k: tf.Tensor, v: tf.Tensor, mask: tf.Tensor): tf.Tensor => {
  const scale = 1 / Math.sqrt(q.shape.at(-1) ?? 1);
  return differentiable(
    (query: tf.Tensor, key: tf.Tensor, value: tf.Tensor) => {
      const scores = multiplySlices(tf.mul(query, scale), turned(key));
      const shares = tf.softmax(tf.add(scores, mask));
      return { value: multiplySlices(shares, value), keep: [query, key, value, shares] };
    },
    (dy, query, key, value, shares) => {
      const dShares = multiplySlices(dy, turned(value));
      const along = tf.sum(tf.mul(dShares, shares), -1, true);
      const dScores = tf.mul(tf.mul(shares, tf.sub(dShares, along)), scale);
      return [
        multiplySlices(dScores, key),
        multiplySlices(turned(dScores), query),
        multiplySlices(turned(shares), dy),
      ];
    },
  )(q, k, v);
};

/** `[slices, …]` with each slice `times` times in a row; the gradient adds the copies. */
export const repeatSlices = (x: tf.Tensor, times: number): tf.Tensor => {
  const [slices = 0, ...rest] = x.shape;
  const width = rest.reduce((product, side) => product * side, 1);
  return differentiable(
    (input: tf.Tensor) => ({
      value: tf.reshape(tf.tile(tf.reshape(input, [slices, 1, width]), [1, times, 1]), [
        slices * times,
        ...rest,
      ]),
      keep: [],
    }),
    (dy) => [tf.reshape(tf.sum(tf.reshape(dy, [slices, times, width]), 1), x.shape)],
  )(x);
};

/** Additive mask `[positions, positions]` that hides every later position. */
export const causalMask = (positions: number): tf.Tensor => {
  const hidden = new Float32Array(positions * positions);
  for (let row = 0; row < positions; row += 1) {
    hidden.fill(-1e9, row * positions + row + 1, (row + 1) * positions);
  }
  return tf.tensor2d(hidden, [positions, positions]);
};

/** Sum of weight times -log p(target), a scalar. */
export const crossEntropy = (
  logits: tf.Tensor,
  targets: Int32Array,
  weights: Float32Array,
): tf.Scalar => {
  const share = tf.tensor2d(weights, [weights.length, 1]);
  const wanted = tf.oneHot(tf.tensor1d(targets, 'int32'), logits.shape.at(-1) ?? 0);
  return differentiable(
    (scores: tf.Tensor) => {
      const probabilities = tf.softmax(scores);
      const chosen = tf.sum(tf.mul(probabilities, wanted), -1, true);
      const losses = tf.neg(tf.log(tf.maximum(chosen, 1e-30)));
      return { value: tf.sum(tf.mul(losses, share)), keep: [probabilities, wanted, share] };
    },
    (dy, probabilities, targeted, shares) => [
      tf.mul(tf.mul(tf.sub(probabilities, targeted), shares), dy),
    ],
  )(logits) as tf.Scalar;
};
