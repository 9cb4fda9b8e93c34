/**
 * Loss and gradients of one shard of a batch. The trainer holds one shard in its own thread and
 * one in a worker. Both read the weights from shared memory; the worker writes its gradients there.
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-wasm';
import type { Batch } from './batch.js';
import { crossEntropy } from './llama.gradients.js';
import type { LlamaModel } from './llama.model.js';

/** The message to a worker for one step. `weights` of all shards together sum to 1. */
export type ShardTask = Batch;

export const startTensorFlow = async (): Promise<void> => {
  await tf.setBackend('wasm');
  await tf.ready();
};

/** Sum over the shard of weight times -log p, and its gradients by variable name. */
export const lossAndGradients = (
  model: LlamaModel,
  { ids, targets, weights, rows }: ShardTask,
): { readonly loss: number; readonly gradients: tf.NamedTensorMap } => {
  const variables = [...model.variables.values()];
  const { value, grads } = tf.variableGrads(
    () => crossEntropy(model.logits(ids, rows), targets, weights),
    variables,
  );
  const [loss = Number.NaN] = value.dataSync();
  value.dispose();
  return { loss, gradients: grads };
};

/** Mean -log p of a batch whose weights sum to 1, without gradients. */
export const lossOf = (model: LlamaModel, { ids, targets, weights, rows }: ShardTask): number =>
  tf.tidy(() => {
    const [loss = Number.NaN] = crossEntropy(model.logits(ids, rows), targets, weights).dataSync();
    return loss;
  });

/** Copies the model's variables into one flat array, in their fixed order. */
export const copyOut = (model: LlamaModel, flat: Float32Array): void => {
  let offset = 0;
  for (const variable of model.variables.values()) {
    flat.set(variable.dataSync<'float32'>(), offset);
    offset += variable.size;
  }
};

/** The inverse of `copyOut`. */
export const copyIn = (model: LlamaModel, flat: Float32Array): void => {
  let offset = 0;
  for (const variable of model.variables.values()) {
    const values = flat.slice(offset, offset + variable.size);
    tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)));
    offset += variable.size;
  }
};
