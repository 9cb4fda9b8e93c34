/** The training loop: draw a batch, split it over two threads, add the gradients, take a step. */
import * as tf from '@tensorflow/tfjs-core';
import { AdamW } from '#engines/training/adam-w.optimizer.js';
import { drawBatch } from './batch.js';
import type { BytePairTokenizer } from './byte-pair.tokenizer.js';
import { NANO_CORPUS, type Corpus } from './corpus/corpora.js';
import { lossOf, plainLearner } from '#engines/training/gradient.shard.js';
import { sharedModel } from '#engines/training/learner.js';
import { ParallelGradients } from '#engines/training/parallel-gradients.js';
import type { LlamaModel } from '#engines/training/model/llama.model.js';
import type { Stage } from './nano.recipe.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';

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
    private readonly gradients: ParallelGradients,
  ) {}

  static async start(
    model: LlamaModel,
    tokenizer: BytePairTokenizer,
    seed: number,
  ): Promise<Trainer> {
    const gradients = await ParallelGradients.start(plainLearner(model), {
      student: sharedModel(model.shape, model.tensors()),
      teacher: null,
      objective: { kind: 'next_token' },
      tuning: { kind: 'full' },
    });
    return new Trainer(model, tokenizer, seededRandom(seed), gradients);
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
    await this.gradients.stop();
  }

  private async step(step: number, stage: Stage): Promise<number> {
    const batch = drawBatch('training', this.tokenizer, this.random, stage);
    const { loss, gradients } = await this.gradients.of(batch);
    this.optimizer.step(this.model.variables, gradients, learningRateAt(step, stage));
    tf.dispose(gradients);
    return loss;
  }
}
