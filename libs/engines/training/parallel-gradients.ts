/** Gradients of whole batches: one half of the rows here, the other in a thread beside. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { type Variables } from './adam-w.optimizer.js';
import { type Batch, copyOut, type Learner, lossAndGradients, sizeOf } from './gradient.shard.js';
import { type GradientWorkerData } from './gradient.worker.js';
import { type LearnerPlan } from './learner.js';

/** The sum of gradients depends on the number of parts: it is the same on every machine. */
const PARTS = 2;

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);

/** Scales the weights so that all of them sum to 1, and cuts the rows. */
const partsOf = ({ ids, targets, weights, rows }: Batch): readonly [Batch, Batch] => {
  const total = sum(weights);
  const shares = weights.map((weight) => weight / total);
  const length = ids.length / rows;
  const first = Math.ceil(rows / PARTS);
  const part = (from: number, to: number): Batch => ({
    ids: ids.slice(from * length, to * length),
    targets: targets.slice(from * length, to * length),
    weights: shares.slice(from * length, to * length),
    rows: to - from,
  });
  return [part(0, first), part(first, rows)];
};

export class ParallelGradients {
  private constructor(
    private readonly learner: Learner,
    private readonly worker: Worker,
    private readonly weights: Float32Array,
    private readonly gradients: Float32Array,
  ) {}

  /** @param plan makes in the other thread what `learner` is in this one */
  static async start(learner: Learner, plan: LearnerPlan): Promise<ParallelGradients> {
    const size = sizeOf(learner.learned);
    const weights = new SharedArrayBuffer(4 * size);
    const gradients = new SharedArrayBuffer(4 * size);
    const workerData: GradientWorkerData = { plan, weights, gradients };
    const worker = new Worker(new URL('./gradient.worker.js', import.meta.url), { workerData });
    await once(worker, 'message');
    const views = [new Float32Array(weights), new Float32Array(gradients)] as const;
    return new ParallelGradients(learner, worker, ...views);
  }

  /** Of a batch of at least two rows. The caller disposes the gradients. */
  async of(
    batch: Batch,
  ): Promise<{ readonly loss: number; readonly gradients: tf.NamedTensorMap }> {
    const [mine, theirs] = partsOf(batch);
    copyOut(this.learner.learned, this.weights);
    this.worker.postMessage(theirs);
    const answered = once(this.worker, 'message');
    const { loss, gradients } = lossAndGradients(this.learner, mine);
    const [theirLoss] = (await answered) as [number];
    return { loss: loss + theirLoss, gradients: this.#withTheirs(this.learner.learned, gradients) };
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  #withTheirs(learned: Variables, mine: tf.NamedTensorMap): tf.NamedTensorMap {
    let offset = 0;
    const total: tf.NamedTensorMap = {};
    for (const { name, shape, size } of learned.values()) {
      const gradient = mine[name];
      if (gradient === undefined) throw new RangeError(`no gradient for ${name}`);
      const theirs = this.gradients.slice(offset, offset + size);
      total[name] = tf.tidy(() => tf.add(gradient, tf.tensor(theirs, shape)));
      gradient.dispose();
      offset += size;
    }
    return total;
  }
}
