/** Loss and gradients of a batch, or of a part of one, by a model in this thread. */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-wasm';
import { type Variables } from './adam-w.optimizer.js';
import { crossEntropy } from './model/llama.gradients.js';
import { type LlamaModel } from './model/llama.model.js';

/** Rows of token ids, each `ids.length / rows` long. */
export interface Batch {
  readonly ids: Int32Array;
  readonly targets: Int32Array;
  /** How much each target counts. Of all parts of a batch together they sum to 1. */
  readonly weights: Float32Array;
  readonly rows: number;
}

/** The loss of logits `[tokens, vocabulary]`, a scalar with a gradient. */
export type LossOf = (logits: tf.Tensor, batch: Batch) => tf.Scalar;

export const nextTokenLoss: LossOf = (logits, { targets, weights }) =>
  crossEntropy(logits, targets, weights);

export const startTensorFlow = async (): Promise<void> => {
  await tf.setBackend('wasm');
  await tf.ready();
};

/** The model, the variables that are learned, and the loss. */
export interface Learner {
  readonly model: LlamaModel;
  readonly learned: Variables;
  readonly loss: LossOf;
}

/** Every weight of the model is learned, by cross-entropy. */
export const plainLearner = (model: LlamaModel): Learner => ({
  model,
  learned: model.variables,
  loss: nextTokenLoss,
});

/** The loss of the batch, and its gradient by the name of each variable. */
export const lossAndGradients = (
  { model, learned, loss }: Learner,
  batch: Batch,
): { readonly loss: number; readonly gradients: tf.NamedTensorMap } => {
  const { value, grads } = tf.variableGrads(
    () => loss(model.logits(batch.ids, batch.rows), batch),
    [...learned.values()],
  );
  const [total = Number.NaN] = value.dataSync();
  value.dispose();
  return { loss: total, gradients: grads };
};

/** Sum of weight times -log p over a batch, without gradients. */
export const lossOf = (model: LlamaModel, batch: Batch): number =>
  tf.tidy(() => {
    const logits = model.logits(batch.ids, batch.rows);
    const [loss = Number.NaN] = nextTokenLoss(logits, batch).dataSync();
    return loss;
  });

export const sizeOf = (variables: Variables): number =>
  [...variables.values()].reduce((sum, { size }) => sum + size, 0);

/** Copies the variables into one flat array, in their order. */
export const copyOut = (variables: Variables, flat: Float32Array): void => {
  let offset = 0;
  for (const variable of variables.values()) {
    flat.set(variable.dataSync<'float32'>(), offset);
    offset += variable.size;
  }
};

/** The inverse of `copyOut`. */
export const copyIn = (variables: Variables, flat: Float32Array): void => {
  let offset = 0;
  for (const variable of variables.values()) {
    const values = flat.slice(offset, offset + variable.size);
    tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)));
    offset += variable.size;
  }
};
