/** The training loop: draw a batch, split it over two threads, add the gradients, take a step. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { AdamW } from './adam-w.optimizer.js';
import { drawBatch, type Batch } from './batch.js';
import type { BytePairTokenizer } from './byte-pair.tokenizer.js';
import { NANO_CORPUS, type Corpus } from './corpus/corpora.js';
import { copyOut, lossAndGradients, lossOf } from './gradient.shard.js';
import type { GradientWorkerData } from './gradient.worker.js';
import type { LlamaModel } from './llama.model.js';
import { SHARDS, type Stage } from './nano.recipe.js';
import { seededRandom, type SeededRandom } from './seeded-random.js';

export const HELD_OUT = { seed: 77, batches: 40, rows: 8, positions: 256, commonShare: 0 } as const;
const QUICK_BATCHES = 6;
const REPORT_EVERY_STEPS = 200;

export interface Progress {
  readonly step: number;
  readonly trainingLoss: number;
  readonly heldOutPerplexity: number;
  readonly seconds: number;
}

export interface HeldOutFigures {
  /** exp of the mean -log p over the assistant's tokens of dialogues with untrained phrasing. */
  readonly heldOutPerplexity: number;
  readonly heldOutTokens: number;
}

const learningRateAt = (step: number, { learningRate }: Stage): number => {
  const { peak, final, warmUpSteps, descent, descentSteps } = learningRate;
  if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
  const share = (step - warmUpSteps) / (descentSteps - warmUpSteps);
  const left = descent === 'linear' ? 1 - share : 0.5 * (1 + Math.cos(Math.PI * share));
  return final + (peak - final) * left;
};

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);

/** Scales the weights so that those of the whole batch sum to 1, and cuts the rows into shards. */
const shardsOf = ({ ids, targets, weights, rows }: Batch): Batch[] => {
  const total = sum(weights);
  const shares = weights.map((weight) => weight / total);
  const length = ids.length / SHARDS;
  return Array.from({ length: SHARDS }, (_, shard) => {
    const [from, to] = [shard * length, (shard + 1) * length];
    return {
      ids: ids.slice(from, to),
      targets: targets.slice(from, to),
      weights: shares.slice(from, to),
      rows: rows / SHARDS,
    };
  });
};

/** Perplexity over the first `batches` held-out batches, which are the same on every call. */
export const heldOutFigures = (
  model: LlamaModel,
  tokenizer: BytePairTokenizer,
  batches: number = HELD_OUT.batches,
  corpus: Corpus = NANO_CORPUS,
): HeldOutFigures => {
  const random = seededRandom(HELD_OUT.seed);
  let loss = 0;
  let tokens = 0;
  for (let index = 0; index < batches; index += 1) {
    const batch = drawBatch('held-out', tokenizer, random, { ...HELD_OUT, corpus });
    loss += lossOf(model, batch);
    tokens += sum(batch.weights);
  }
  return { heldOutPerplexity: Math.exp(loss / tokens), heldOutTokens: tokens };
};

export class Trainer {
  private readonly optimizer = new AdamW();

  private constructor(
    private readonly model: LlamaModel,
    private readonly tokenizer: BytePairTokenizer,
    private readonly random: SeededRandom,
    private readonly worker: Worker,
    private readonly weights: Float32Array,
    private readonly gradients: Float32Array,
  ) {}

  static async start(
    model: LlamaModel,
    tokenizer: BytePairTokenizer,
    seed: number,
  ): Promise<Trainer> {
    const size = [...model.variables.values()].reduce(
      (total, variable) => total + variable.size,
      0,
    );
    const weights = new SharedArrayBuffer(4 * size);
    const gradients = new SharedArrayBuffer(4 * size);
    const workerData: GradientWorkerData = { shape: model.shape, weights, gradients };
    const worker = new Worker(new URL('./gradient.worker.js', import.meta.url), { workerData });
    await once(worker, 'message');
    const random = seededRandom(seed);
    const views = [new Float32Array(weights), new Float32Array(gradients)] as const;
    return new Trainer(model, tokenizer, random, worker, ...views);
  }

  async run(stage: Stage, report: (progress: Progress) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    let losses = 0;
    for (let step = 0; step < stage.steps; step += 1) {
      losses += await this.step(step, stage);
      if ((step + 1) % REPORT_EVERY_STEPS !== 0) continue;
      const { heldOutPerplexity } = heldOutFigures(this.model, this.tokenizer, QUICK_BATCHES);
      const seconds = (performance.now() - startedAt) / 1000;
      const trainingLoss = losses / REPORT_EVERY_STEPS;
      await report({ step: step + 1, trainingLoss, heldOutPerplexity, seconds });
      losses = 0;
    }
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private async step(step: number, stage: Stage): Promise<number> {
    const batch = drawBatch('training', this.tokenizer, this.random, stage);
    const [mine, theirs] = shardsOf(batch) as [Batch, Batch];
    copyOut(this.model, this.weights);
    this.worker.postMessage(theirs);
    const answered = once(this.worker, 'message');
    const { loss, gradients } = lossAndGradients(this.model, mine);
    const [theirLoss] = (await answered) as [number];
    const total = this.withTheirGradients(gradients);
    this.optimizer.step(this.model.variables, total, learningRateAt(step, stage));
    tf.dispose(total);
    return loss + theirLoss;
  }

  private withTheirGradients(mine: tf.NamedTensorMap): tf.NamedTensorMap {
    let offset = 0;
    const total: tf.NamedTensorMap = {};
    for (const { name, shape, size } of this.model.variables.values()) {
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
