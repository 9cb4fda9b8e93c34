import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-wasm';
import { readoutOf } from '#engines/spiking/heads.js';
import type { Head } from '#engines/spiking/model.js';
import { AdamW } from '#engines/training/adam-w.optimizer.js';
import { crossEntropy } from '#engines/training/model/llama.gradients.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { batchOf, drawExamples, type LabelledInput } from './examples.js';
import { registerGradients } from './gradients.js';
import { registerNeurons } from './neuron.kernels.js';
import { ParameterStore } from './parameter.store.js';
import { registerPatches } from './patches.kernels.js';
import type { Recipe } from './recipe.js';
import { registerSliceProducts } from './slice-products.kernel.js';
import { TrainingOperations } from './training.operations.js';

const HEADS: readonly Head[] = ['native', 'text'];
const POOL = 4000;
const REPORT_EVERY = 50;
const WARM_UP = 20;

export const startSpikingTraining = async (): Promise<void> => {
  registerGradients();
  registerSliceProducts();
  registerNeurons();
  registerPatches();
  await tf.setBackend('wasm');
  await tf.ready();
};

/** Linear warm-up, then half a cosine down to a fiftieth. */
const rateAt = (step: number, { iterations, learningRate }: Recipe): number => {
  const share = step / iterations;
  const cosine = 0.02 + 0.98 * 0.5 * (1 + Math.cos(Math.PI * share));
  return learningRate * cosine * Math.min(1, (step + 1) / WARM_UP);
};

export class NetworkTrainer {
  readonly parameters: ParameterStore;
  readonly #optimizer = new AdamW();
  readonly #operations: TrainingOperations;
  readonly #pools: ReadonlyMap<Head, readonly LabelledInput[]>;

  constructor(private readonly recipe: Recipe) {
    this.parameters = new ParameterStore(recipe.seed);
    const { architecture, steps, surrogate = 'atan' } = recipe;
    const neuron = { ...architecture.neuron, surrogate, detachReset: true };
    this.#operations = new TrainingOperations({ parameters: this.parameters, steps, neuron });
    const pool = (head: Head): readonly LabelledInput[] =>
      drawExamples(recipe, head, 'training', recipe.seed, POOL);
    this.#pools = new Map(HEADS.map((head) => [head, pool(head)]));
  }

  /** Logits `[batch, classes]`. */
  logits(head: Head, examples: readonly LabelledInput[]): tf.Tensor {
    const { architecture, task, forward } = this.recipe;
    const { x } = batchOf(examples);
    const input = tf.tensor(x.values, [...x.shape]);
    const readout = readoutOf(head, task.classes.length);
    const logits =
      forward?.(this.#operations, input, readout) ??
      architecture.forward<tf.Tensor>(this.#operations, input, readout);
    return tf.reshape(logits, [examples.length, readout.classes]);
  }

  /** @param report is called with the mean loss of the last steps */
  run(report: (step: number, loss: number) => void): void {
    const random = seededRandom(this.recipe.seed + 1);
    this.recipe.prepare?.(this.parameters, this.recipe.seed + 2);
    // The first pass makes the variables, which must exist before gradients are taken.
    for (const head of HEADS) tf.tidy(() => this.#loss(head, this.#draw(head, random)));
    let losses = 0;
    for (let step = 0; step < this.recipe.iterations; step += 1) {
      losses += this.#step(
        HEADS.map((head) => [head, this.#draw(head, random)] as const),
        step,
      );
      if ((step + 1) % REPORT_EVERY !== 0) continue;
      report(step + 1, losses / REPORT_EVERY);
      losses = 0;
    }
  }

  #draw(head: Head, random: { below(bound: number): number }): readonly LabelledInput[] {
    const pool = this.#pools.get(head) ?? [];
    return Array.from({ length: this.recipe.batch }, () => pool[random.below(pool.length)]).filter(
      (example) => example !== undefined,
    );
  }

  #step(batches: readonly (readonly [Head, readonly LabelledInput[]])[], step: number): number {
    const variables = this.parameters.trained;
    const { value, grads } = tf.variableGrads(() => {
      const [first, second] = batches.map(([head, examples]) => this.#loss(head, examples));
      return tf.add<tf.Scalar>(first as tf.Tensor, second as tf.Tensor);
    }, [...variables.values()]);
    const [loss = Number.NaN] = value.dataSync();
    this.#optimizer.step(variables, grads, rateAt(step, this.recipe));
    tf.dispose([value, grads]);
    return loss;
  }

  #loss(head: Head, examples: readonly LabelledInput[]): tf.Tensor {
    const labels = Int32Array.from(examples, ({ label }) => label);
    if (head === 'native' && this.recipe.nativeLoss !== undefined) {
      const { x } = batchOf(examples);
      return this.recipe.nativeLoss(this.#operations, tf.tensor(x.values, [...x.shape]), labels);
    }
    const weights = new Float32Array(examples.length).fill(1 / examples.length);
    return crossEntropy(this.logits(head, examples), labels, weights);
  }
}
