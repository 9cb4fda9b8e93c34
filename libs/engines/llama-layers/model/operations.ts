/**
 * The pieces of a Llama block on TensorFlow.js. Products of two matrices take the fast path of the
 * WASM backend when neither is transposed in the call, so weights are turned once, as they load.
 */
import * as tf from '@tensorflow/tfjs-core';
import { type LlamaShape } from './llama.header.js';

/** Root-mean-square normalisation over the last axis, times a learned gain `[width]`. */
export const rmsNorm = (x: tf.Tensor, gain: tf.Tensor, epsilon: number): tf.Tensor => {
  const scale = tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), epsilon));
  return tf.mul(tf.mul(x, scale), gain);
};

/** `silu(gate) * up`. */
export const swiglu = (gate: tf.Tensor, up: tf.Tensor): tf.Tensor =>
  tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);

export interface RotaryTables {
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
}

/** For positions from `start` on: `[count, 1, headWidth]`, both values of a pair alike. */
export const rotaryTables = (
  start: number,
  count: number,
  { headWidth, ropeBase }: LlamaShape,
): RotaryTables => {
  const cos = new Float32Array(count * headWidth);
  const sin = new Float32Array(count * headWidth);
  for (let at = 0; at < cos.length; at += 1) {
    const pair = Math.floor((at % headWidth) / 2);
    const angle = (start + Math.floor(at / headWidth)) * ropeBase ** ((-2 * pair) / headWidth);
    cos[at] = Math.cos(angle);
    sin[at] = Math.sin(angle);
  }
  const size: [number, number, number] = [count, 1, headWidth];
  return { cos: tf.tensor3d(cos, size), sin: tf.tensor3d(sin, size) };
};

/** Swaps the two values of each pair and negates the first: a quarter turn, as a product. */
export const quarterTurn = ({ headWidth }: LlamaShape): tf.Tensor2D => {
  const turn = new Float32Array(headWidth * headWidth);
  for (let at = 0; at < headWidth; at += 2) {
    turn[(at + 1) * headWidth + at] = -1;
    turn[at * headWidth + at + 1] = 1;
  }
  return tf.tensor2d(turn, [headWidth, headWidth]);
};

/** Rotates neighbours, as llama.cpp stores them; x is `[count, heads, headWidth]`. */
export const rotate = (x: tf.Tensor, { cos, sin }: RotaryTables, turn: tf.Tensor2D): tf.Tensor => {
  const flat = tf.reshape(x, [-1, turn.shape[0]]);
  const turned = tf.reshape(tf.matMul(flat, turn), x.shape);
  return tf.add(tf.mul(x, cos), tf.mul(turned, sin));
};

/** Hides what follows each of `count` positions behind `past` others: `[1, 1, count, all]`. */
export const causalMask = (past: number, count: number): tf.Tensor => {
  const all = past + count;
  const hidden = new Float32Array(count * all);
  for (let row = 0; row < count; row += 1)
    hidden.fill(-1e9, row * all + past + row + 1, (row + 1) * all);
  return tf.tensor4d(hidden, [1, 1, count, all]);
};

/**
 * Attention of `[count, heads, headWidth]` to keys and values `[keyHeads, all, headWidth]`; several
 * heads may share a key. The result is `[count, heads * headWidth]`.
 */
export const attend = (
  query: tf.Tensor,
  keys: tf.Tensor,
  values: tf.Tensor,
  mask: tf.Tensor | null,
): tf.Tensor => {
  const [count = 0, heads = 0, headWidth = 0] = query.shape;
  const [keyHeads = 1, all = 0] = keys.shape;
  const group = heads / keyHeads;
  const scaled = tf.mul(query, 1 / Math.sqrt(headWidth));
  const byHead = tf.transpose(
    tf.reshape(scaled, [count, keyHeads, group, headWidth]),
    [1, 2, 0, 3],
  );
  const rows = tf.reshape(byHead, [keyHeads, group * count, headWidth]);
  const scores = tf.reshape(tf.matMul(rows, keys, false, true), [keyHeads, group, count, all]);
  const shares = tf.softmax(mask === null ? scores : tf.add(scores, mask));
  const mixed = tf.matMul(tf.reshape(shares, [keyHeads, group * count, all]), values);
  const parts = tf.reshape(mixed, [keyHeads, group, count, headWidth]);
  return tf.reshape(tf.transpose(parts, [2, 0, 1, 3]), [count, heads * headWidth]);
};
