import type * as tf from '@tensorflow/tfjs-core';

/**
 * Stands between the matrices of the layers and their products: the embedding, the gains and the
 * output matrix are used as they are.
 */
export interface Projections {
  /** The matrix `[in, out]` that is multiplied in place of the stored one. Differentiable. */
  matrix(module: string, stored: tf.Tensor): tf.Tensor;
  /** The rows `[tokens, in]` that are multiplied in place of the activations. Differentiable. */
  input(activations: tf.Tensor): tf.Tensor;
}

export const PLAIN_PROJECTIONS: Projections = {
  matrix: (_, stored) => stored,
  input: (activations) => activations,
};
