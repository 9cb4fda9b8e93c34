/** The thread that computes the gradients of the second part of each batch. */
import { workerData } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { portOfThread } from '#platform/threads/request-listener.js';
import { type Batch, copyIn, lossAndGradients, startTensorFlow } from './gradient.shard.js';
import { learnerOf, type LearnerPlan } from './learner.js';

export interface GradientWorkerData {
  readonly plan: LearnerPlan;
  /** The variables before each step. */
  readonly weights: SharedArrayBuffer;
  /** Where the gradients are written. */
  readonly gradients: SharedArrayBuffer;
}

const { plan, weights, gradients } = workerData as GradientWorkerData;
const port = portOfThread();

await startTensorFlow();
const learner = learnerOf(plan);
const written = new Float32Array(gradients);

port.on('message', (batch: Batch) => {
  copyIn(learner.learned, new Float32Array(weights));
  const result = lossAndGradients(learner, batch);
  let offset = 0;
  for (const variable of learner.learned.values()) {
    const gradient = result.gradients[variable.name];
    if (gradient !== undefined) written.set(gradient.dataSync<'float32'>(), offset);
    offset += variable.size;
  }
  tf.dispose(result.gradients);
  port.postMessage(result.loss);
});
port.postMessage('ready');
