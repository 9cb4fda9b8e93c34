/** The cross-entropy of the next byte after every byte of a window, not only after the last. */
import * as tf from '@tensorflow/tfjs-core';
import { nextSymbols } from '#engines/spiking/models/linear-attention-rwkv.model.js';
import { parallelAttention } from '#engines/spiking/models/rwkv.attention.js';
import { crossEntropy } from '#engines/training/model/llama.gradients.js';
import type { NativeLoss } from './recipe.js';

/** The symbol of each row of `[steps, batch, symbols]`, and after the last step the label. */
const targetsOf = (x: tf.Tensor, labels: Int32Array): Int32Array => {
  const [steps = 1, batch = 1] = x.shape;
  const symbols = tf.argMax(x, 2).dataSync<'int32'>();
  const next = new Int32Array(steps * batch);
  next.set(symbols.subarray(batch));
  next.set(labels, (steps - 1) * batch);
  return next;
};

export const nextByteLoss: NativeLoss = (ops, x, labels) => {
  const [steps = 1, batch = 1, symbols = 1] = x.shape;
  const logits = nextSymbols<tf.Tensor>(ops, x, parallelAttention);
  const weights = new Float32Array(steps * batch).fill(1 / (steps * batch));
  return crossEntropy(tf.reshape(logits, [steps * batch, symbols]), targetsOf(x, labels), weights);
};
