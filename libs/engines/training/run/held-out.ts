/** How well a model predicts documents that it does not learn. */
import * as tf from '@tensorflow/tfjs-core';
import { type Batch } from '../gradient.shard.js';
import { type LlamaModel } from '../model/llama.model.js';
import { distillation } from '../model/distillation.loss.js';
import { type HeldOut } from '../training.protocol.js';

const SURPRISE = { temperature: 1, alpha: 0, beta: 1 } as const;
const DIVERGENCE = { temperature: 1, alpha: 1, beta: 0 } as const;

/** @param teacher null: no divergence */
export const heldOutOf = (
  student: LlamaModel,
  teacher: LlamaModel | null,
  batches: readonly Batch[],
): HeldOut => {
  let [surprise, divergence, tokens] = [0, 0, 0];
  for (const { ids, targets, weights, rows } of batches) {
    tokens += weights.reduce((sum, weight) => sum + weight, 0);
    tf.tidy(() => {
      const logits = student.logits(ids, rows);
      const compared = { teacher: teacher?.logits(ids, rows) ?? logits, targets, weights };
      surprise += distillation(logits, compared, SURPRISE).dataSync()[0] ?? Number.NaN;
      if (teacher)
        divergence += distillation(logits, compared, DIVERGENCE).dataSync()[0] ?? Number.NaN;
    });
  }
  return {
    perplexity: Math.exp(surprise / tokens),
    divergence: teacher ? divergence / tokens : null,
    tokens,
  };
};
