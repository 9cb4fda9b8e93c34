/**
 * Trains the built-in embedding models and writes their weights and cards.
 *
 *   npm run models:train -- embeddings[/NAME] [--out FOLDER]
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BUCKETS } from '#engines/embeddings/lexical/features.js';
import {
  CARD_FILE,
  rounded,
  WEIGHTS_FILE,
  weightsFileOf,
} from '#engines/embeddings/lexical/lexical-weights.js';
import { type LexicalModelCard } from '#engines/embeddings/lexical/lexical-card.js';
import { INPUT_TOKENS_MAX } from '#engines/embeddings/lexical/lexical-limits.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import {
  ContrastiveTrainer,
  type EmbeddingRecipe,
  inverseFrequencies,
} from './contrastive.trainer.js';
import { cardText } from './embedding-card.js';
import { drawPairs, trainingTexts } from './pair.batches.js';
import { RECIPES } from './recipes.js';
import { reportsOf } from './retrieval.report.js';

const REPORT_EVERY_STEPS = 50;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const trained = (recipe: EmbeddingRecipe): ContrastiveTrainer => {
  const random = seededRandom(recipe.seed);
  const trainer = new ContrastiveTrainer(recipe, inverseFrequencies(trainingTexts(random)));
  for (let step = 0; step < recipe.steps; step += 1) {
    const loss = trainer.step(drawPairs(recipe.pairsPerStep, random));
    if (step % REPORT_EVERY_STEPS === 0)
      say(`${recipe.name}: step ${step}, loss ${loss.toFixed(4)}`);
  }
  return trainer;
};

const train = async (recipe: EmbeddingRecipe, folder: string): Promise<void> => {
  const startedAt = performance.now();
  const { projection } = trained(recipe);
  const trainingSeconds = Math.round((performance.now() - startedAt) / 1e3);
  const stored = rounded(projection);
  const weights = weightsFileOf(stored);
  const { name, dimensions, rank, seed, steps, pairsPerStep } = recipe;
  const card: LexicalModelCard = {
    name,
    kind: 'lexical',
    dimensions,
    rank,
    buckets: BUCKETS,
    tokenizer: 'cl100k_base',
    tokensMax: INPUT_TOKENS_MAX,
    weightsBytes: weights.length,
    weightsSha256: createHash('sha256').update(weights).digest('hex'),
    seed,
    steps,
    pairsPerStep,
    trainingSeconds,
    retrieval: [...(await reportsOf(stored, projection))],
  };
  const target = path.join(folder, name);
  await mkdir(target, { recursive: true });
  await writeFile(path.join(target, WEIGHTS_FILE), weights);
  await writeFile(path.join(target, CARD_FILE), `${JSON.stringify(card, null, 2)}\n`);
  await writeFile(path.join(target, 'card.md'), cardText(card));
  for (const { name: task, model } of card.retrieval)
    say(`${name}: ${task} ${JSON.stringify(model)}`);
};

/** @param name of one model; null trains all of them */
export const trainEmbeddings = async (name: string | null, folder: string): Promise<void> => {
  const recipes = RECIPES.filter((recipe) => name === null || recipe.name === name);
  if (recipes.length === 0) throw new Error(`there is no embedding model ${name}`);
  for (const recipe of recipes) await train(recipe, folder);
};
