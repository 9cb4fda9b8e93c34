/** The second shard of the trainer, in a worker thread of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { copyIn, lossAndGradients, startTensorFlow, type ShardTask } from './gradient.shard.js';
import { initialTensors, LlamaModel, type LlamaShape } from './llama.model.js';
import { seededRandom } from './seeded-random.js';

export interface GradientWorkerData {
  readonly shape: LlamaShape;
  readonly weights: SharedArrayBuffer;
  readonly gradients: SharedArrayBuffer;
}

const { shape, weights, gradients } = workerData as GradientWorkerData;

await startTensorFlow();
// The values are replaced before every step; only the shapes matter here.
const model = new LlamaModel(shape, initialTensors(shape, seededRandom(0)));
const written = new Float32Array(gradients);

parentPort?.on('message', (task: ShardTask) => {
  copyIn(model, new Float32Array(weights));
  const result = lossAndGradients(model, task);
  let offset = 0;
  for (const variable of model.variables.values()) {
    const gradient = result.gradients[variable.name];
    if (gradient !== undefined) written.set(gradient.dataSync<'float32'>(), offset);
    offset += variable.size;
  }
  tf.dispose(result.gradients);
  parentPort?.postMessage(result.loss);
});
parentPort?.postMessage('ready');
