/** LoRA (Hu et al. 2021, https://arxiv.org/abs/2106.09685) on the matrices of the layers. */
import * as tf from '@tensorflow/tfjs-core';
import { type Variables } from '../adam-w.optimizer.js';
import { seededRandom } from '../seeded-random.js';
import { differentiable } from './llama.gradients.js';
import { layerMatrices, type LlamaShape } from './llama.model.js';
import { type Projections } from './projections.js';

export interface LowRank {
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number;
}

interface Pair {
  /** `[in, rank]`, drawn. */
  readonly down: tf.Variable;
  /** `[rank, out]`, zeros at first: the model begins as it is. */
  readonly up: tf.Variable;
}

const scaledProduct = (scale: number) =>
  differentiable(
    (down: tf.Tensor, up: tf.Tensor) => ({
      value: tf.mul(tf.matMul(down as tf.Tensor2D, up as tf.Tensor2D), scale),
      keep: [down, up],
    }),
    (dy, down, up) => {
      const slope = tf.mul(dy, scale);
      return [tf.matMul(slope, tf.transpose(up)), tf.matMul(tf.transpose(down), slope)];
    },
  );

export class LowRankProjections implements Projections {
  readonly #pairs = new Map<string, Pair>();
  readonly #product: ReturnType<typeof scaledProduct>;

  constructor(shape: LlamaShape, { rank, alpha, seed }: LowRank) {
    this.#product = scaledProduct(alpha / rank);
    const random = seededRandom(seed);
    for (let layer = 0; layer < shape.layers; layer += 1) {
      for (const [name, [outputs, inputs]] of Object.entries(layerMatrices(shape))) {
        const values = Float32Array.from(
          { length: inputs * rank },
          () => random.normal() / Math.sqrt(inputs),
        );
        this.#pairs.set(`model.layers.${layer}.${name}`, {
          down: tf.variable(tf.tensor2d(values, [inputs, rank])),
          up: tf.variable(tf.zeros([rank, outputs])),
        });
      }
    }
  }

  get variables(): Variables {
    return new Map(
      [...this.#pairs].flatMap(([module, { down, up }]) => [
        [`${module}.down`, down],
        [`${module}.up`, up],
      ]),
    );
  }

  matrix(module: string, stored: tf.Tensor): tf.Tensor {
    const pair = this.#pairs.get(module);
    return pair ? tf.add(stored, this.#product(pair.down, pair.up)) : stored;
  }

  input(activations: tf.Tensor): tf.Tensor {
    return activations;
  }
}
