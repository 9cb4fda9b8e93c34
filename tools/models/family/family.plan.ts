/** Writes the token ids of a model's training and the plan that `train.py` follows. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BytePairTokenizer } from '../byte-pair.tokenizer.js';
import { MINI_CORPUS, type Corpus } from '../corpus/corpora.js';
import type { LlamaShape } from '#engines/training/model/llama.model.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { HELD_OUT } from '../trainer.js';
import { recipeOf, type FamilyRecipe, type FamilyStage } from './family.recipe.js';
import { writeRows } from './training-rows.js';

/** The folder of ids, checkpoints and weights, and what they are made with. */
export interface Workshop {
  readonly cache: string;
  readonly python: string;
  readonly seed: number;
  readonly tokenizer: BytePairTokenizer;
  readonly vocabulary: number;
}

/** A model as the programs in Python load it. */
export interface StoredModel {
  readonly shape: LlamaShape;
  /** A safetensors file in the cache. */
  readonly weights: string;
}

export const storedModel = (
  { slug, shape }: FamilyRecipe,
  { vocabulary }: Workshop,
): StoredModel => ({ shape: { ...shape, vocabulary }, weights: `${slug}.safetensors` });

export interface RowsFile {
  readonly file: string;
  readonly rows: number;
  readonly positions: number;
}

type PlannedStage = RowsFile & Pick<FamilyStage, 'learningRate'>;

const writeStages = async (
  { slug, stages }: FamilyRecipe,
  { cache, tokenizer }: Workshop,
  random: SeededRandom,
): Promise<PlannedStage[]> => {
  const files: PlannedStage[] = [];
  for (const [index, { steps, learningRate, ...stage }] of stages.entries()) {
    const file = `${slug}.${index + 1}.rows`;
    const shape = { ...stage, corpus: MINI_CORPUS };
    const order = { split: 'training', tokenizer, random, shape, blocks: steps } as const;
    await writeRows(path.join(cache, file), order);
    files.push({ file, rows: stage.rows, positions: stage.positions, learningRate });
  }
  return files;
};

/** The held-out questions of `corpus`, drawn as those of nano are. */
export const writeHeldOut = async (
  name: string,
  corpus: Corpus,
  { cache, tokenizer }: Workshop,
  blocks: number = HELD_OUT.batches,
): Promise<RowsFile> => {
  const { seed, rows, positions, commonShare } = HELD_OUT;
  const shape = { rows, positions, commonShare, corpus };
  const file = `${name}.held-out.rows`;
  const order = { split: 'held-out', tokenizer, random: seededRandom(seed) } as const;
  await writeRows(path.join(cache, file), { ...order, shape, blocks });
  return { file, rows, positions };
};

/** Where `train.py` writes what it has to say beside the weights. */
export const resultFile = ({ slug }: FamilyRecipe): string => `${slug}.result.json`;

/** Returns the path of the plan. */
export const writePlan = async (recipe: FamilyRecipe, workshop: Workshop): Promise<string> => {
  const { slug, weightDecay, distillation } = recipe;
  const { seed, cache } = workshop;
  const plan = {
    seed,
    ...storedModel(recipe, workshop),
    stages: await writeStages(recipe, workshop, seededRandom(seed)),
    weightDecay,
    distillation: distillation && {
      ...distillation,
      teacher: storedModel(recipeOf(distillation.teacher), workshop),
    },
    result: resultFile(recipe),
  };
  const file = path.join(cache, `${slug}.plan.json`);
  await writeFile(file, `${JSON.stringify(plan)}\n`);
  return file;
};
