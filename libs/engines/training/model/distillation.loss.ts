import * as tf from '@tensorflow/tfjs-core';
import { type LossOf } from '../gradient.shard.js';
import { differentiable } from './llama.gradients.js';
import { type LlamaModel } from './llama.model.js';

export interface DistillationTerms {
  /** By which the logits of both are divided before they are compared. */
  readonly temperature: number;
  /** The weight of the divergence from the teacher. */
  readonly alpha: number;
  /** The weight of the cross-entropy with the text. */
  readonly beta: number;
}

interface Compared {
  readonly teacher: tf.Tensor;
  readonly targets: Int32Array;
  readonly weights: Float32Array;
}

/**
 * `alpha T² KL(teacher || student) + beta CE`, both softened by T (Hinton, Vinyals, Dean 2015,
 * https://arxiv.org/abs/1503.02531): softening divides the gradient of KL by T², and the factor
 * gives it back. The weights say how much each token counts.
 */
export const distillation = (
  student: tf.Tensor,
  { teacher, targets, weights }: Compared,
  { temperature, alpha, beta }: DistillationTerms,
): tf.Scalar => {
  const share = tf.tensor2d(weights, [weights.length, 1]);
  const wanted = tf.oneHot(tf.tensor1d(targets, 'int32'), student.shape.at(-1) ?? 0);
  const soft = tf.logSoftmax(tf.div(teacher, temperature));
  return differentiable(
    (logits: tf.Tensor) => {
      const log = tf.logSoftmax(tf.div(logits, temperature));
      const expected = tf.exp(soft);
      const divergence = tf.sum(tf.mul(expected, tf.sub(soft, log)), -1, true);
      const plain = tf.logSoftmax(logits);
      const surprise = tf.neg(tf.sum(tf.mul(plain, wanted), -1, true));
      const each = tf.add(tf.mul(divergence, alpha * temperature ** 2), tf.mul(surprise, beta));
      const apart = tf.mul(tf.sub(tf.exp(log), expected), alpha * temperature);
      const wrong = tf.mul(tf.sub(tf.exp(plain), wanted), beta);
      const slope = tf.mul(tf.add(apart, wrong), share);
      return { value: tf.sum(tf.mul(each, share)), keep: [slope] };
    },
    (dy, slope) => [tf.mul(slope, dy)],
  )(student) as tf.Scalar;
};

/** The teacher reads the same rows; it does not learn. */
export const distillationLoss =
  (teacher: LlamaModel, terms: DistillationTerms): LossOf =>
  (logits, { ids, targets, weights, rows }) =>
    distillation(logits, { teacher: teacher.logits(ids, rows), targets, weights }, terms);
