import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  readLexicalModel,
  rounded,
  WEIGHTS_FILE,
} from '#engines/embeddings/lexical/lexical-weights.js';
import { contrastiveLoss, type Rows } from './contrastive.loss.js';
import { ContrastiveTrainer, inverseFrequencies, untrained } from './contrastive.trainer.js';
import { drawPairs } from './pair.batches.js';
import { actionsOf, topicsOf, unseenPhrases } from './paraphrases.js';
import { RECIPES } from './recipes.js';
import { retrievalTasks, scoreOf } from './retrieval.js';
import { embedderOf, svdScores, tfIdfOf } from './retrieval.report.js';
import { seededRandom } from '#engines/training/seeded-random.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models/embeddings');

describe.each(RECIPES)('the model $name', ({ name, dimensions }) => {
  it('scores what its card says, on the task that is quick to score', async () => {
    const { card, projection } = await readLexicalModel(path.join(MODELS, name, WEIGHTS_FILE));
    expect(card).toMatchObject({ name, dimensions, kind: 'lexical' });
    const tasks = retrievalTasks();
    const svd = (await svdScores(tasks))[String(dimensions)];
    const task = tasks.find((one) => one.name === 'quipu');
    const report = card.retrieval.find((one) => one.name === 'quipu');
    if (!task || !report) throw new Error('there is no such task');
    expect(scoreOf(task, embedderOf(projection))).toEqual(report.model);
    expect(scoreOf(task, embedderOf(projection, 64))).toEqual(report.prefixes['64']);
    expect(scoreOf(task, tfIdfOf(projection.idf))).toEqual(report.tfIdf);
    expect(report.svd).toEqual(svd?.['quipu']);
    expect(report.model.mrr).toBeGreaterThan(report.tfIdf.mrr + 0.3);
    expect(report.model.mrr).toBeGreaterThan(report.svd.mrr + 0.3);
  });
});

describe('held-out texts', () => {
  it('have meanings, words and questions that the training has not', () => {
    const random = seededRandom(1);
    const trained = new Set(actionsOf('training').map(({ id }) => id));
    const [everyday, unseenWords, quipu] = retrievalTasks();
    expect(actionsOf('held-out').filter(({ id }) => trained.has(id))).toEqual([]);
    expect(everyday?.queries.length).toBe(actionsOf('held-out').length);
    const drawn = Array.from({ length: 40 }, () => drawPairs(128, random)).flat(2);
    const seen = new Set(drawn.map((text) => text.toLowerCase()));
    for (const query of quipu?.queries ?? []) expect(seen.has(query.toLowerCase())).toBe(false);
    const words = unseenPhrases();
    expect(words.length).toBeGreaterThan(20);
    for (const query of unseenWords?.queries ?? []) {
      expect(words.some((word) => query.toLowerCase().includes(word.toLowerCase()))).toBe(true);
    }
    expect(topicsOf('training').length).toBeGreaterThan(90);
  });

  it('are scored by ranks, and a tie counts against the model', () => {
    const vectors: Readonly<Record<string, readonly number[]>> = {
      a: [1, 0],
      b: [0, 1],
      near: [0.8, 0.6],
      same: [1, 0],
    };
    const embed = (text: string) => Float32Array.from(vectors[text] ?? []);
    const task = { name: 'quipu', description: '', documents: ['a', 'b'] } as const;
    expect(scoreOf({ ...task, queries: ['near', 'near'], answers: [0, 1] }, embed)).toEqual({
      recallAt1: 0.5,
      mrr: 0.75,
      ndcgAt10: (1 + 1 / Math.log2(3)) / 2,
    });
    const tied = { ...task, documents: ['a', 'same'], queries: ['a'], answers: [0] };
    expect(scoreOf(tied, embed).mrr).toBe(0.5);
  });
});

describe('training', () => {
  const random = seededRandom(3);
  const rowsOf = (rows: number, width: number): Rows => ({
    values: Float64Array.from({ length: rows * width }, () => random.normal()),
    rows,
    width,
  });

  it('has the gradients that differences show', () => {
    const [first, second] = [rowsOf(3, 5), rowsOf(3, 5)];
    const prefixes = [
      { dimensions: 5, share: 1 },
      { dimensions: 2, share: 0.5 },
    ];
    const lossAt = (at: number, change: number, side: 'first' | 'second'): number => {
      const sides = { first, second };
      const values = Float64Array.from(sides[side].values);
      values[at] = (values[at] ?? 0) + change;
      const moved = { ...sides, [side]: { ...sides[side], values } };
      return contrastiveLoss(moved.first, moved.second, prefixes, 3).loss;
    };
    const exact = contrastiveLoss(first, second, prefixes, 3);
    for (const side of ['first', 'second'] as const) {
      for (let at = 0; at < 15; at += 1) {
        const slope = (lossAt(at, 1e-5, side) - lossAt(at, -1e-5, side)) / 2e-5;
        expect(exact[side][at]).toBeCloseTo(slope, 6);
      }
    }
  });

  it('lowers the loss, and is the same for the same seed', () => {
    const recipe = {
      name: 'tiny',
      dimensions: 48,
      rank: 16,
      seed: 5,
      steps: 12,
      pairsPerStep: 16,
      learningRate: 0.02,
      scale: 10,
      prefixes: [{ dimensions: 48, share: 1 }],
    };
    const train = () => {
      const draws = seededRandom(9);
      const pairs = drawPairs(recipe.pairsPerStep, draws);
      const trainer = new ContrastiveTrainer(recipe, inverseFrequencies(pairs.flat()));
      const losses = Array.from({ length: recipe.steps }, () => trainer.step(pairs));
      return { losses, dense: trainer.projection.dense };
    };
    const [one, other] = [train(), train()];
    expect(one.losses.at(-1)).toBeLessThan((one.losses[0] ?? 0) / 2);
    expect(other).toEqual(one);
  });

  it('rounds a column by its largest weight', () => {
    const exact = untrained({ dimensions: 8, rank: 4 }, new Float32Array(16_384).fill(1), random);
    const { dense, scales } = rounded(exact);
    for (let at = 0; at < 400; at += 1) {
      const scale = scales[at % 4] ?? 0;
      const error = Math.abs((exact.dense[at] ?? 0) - (dense[at] ?? 0) * scale);
      expect(error).toBeLessThanOrEqual(scale / 2 + 1e-6);
    }
    expect(Math.max(...dense.map(Math.abs))).toBe(127);
  });
});
