/** What goes to the trainer and comes back, in one folder. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeSafetensors } from '#platform/safetensors/safetensors.js';
import type { BytePairTokenizer } from '../byte-pair.tokenizer.js';
import type { GgufModel } from '#engines/training/files/gguf.js';
import { seededRandom, stableHash } from '#engines/training/seeded-random.js';
import { drawTaught, taughtDocument } from './adapter.corpus.js';
import type { AdapterTask } from './adapter.task.js';
import {
  HELD_OUT_DIALOGUES,
  HELD_OUT_SEED,
  RECIPE,
  SEED,
  TRAINING_DIALOGUES,
} from './adapter.recipe.js';

/** Losses are means of -log p over the tokens of held-out answers, in nats. */
export const Figures = z.strictObject({
  heldOutLoss: z.number(),
  baseHeldOutLoss: z.number(),
  frequencyHeldOutLoss: z.number(),
  heldOutTokens: z.int(),
  /** Greedy, without the end of the turn. */
  sampleIds: z.array(z.int()),
  seconds: z.number(),
});
export type Figures = z.infer<typeof Figures>;

export const SAMPLE_PROMPT = 'What is a hold?';

export const writeBase = async (folder: string, { shape, tensors }: GgufModel): Promise<void> => {
  const named = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  await writeFile(path.join(folder, 'base.safetensors'), writeSafetensors(named));
  await writeFile(path.join(folder, 'recipe.json'), JSON.stringify({ ...RECIPE, shape }));
};

const seedOf = ({ slug }: AdapterTask): number => (SEED + stableHash(slug)) % 2 ** 31;

/** The held-out documents of a task; always the same ones. */
export const heldOutDocuments = (task: AdapterTask, tokenizer: BytePairTokenizer) => {
  const random = seededRandom(HELD_OUT_SEED);
  return Array.from({ length: HELD_OUT_DIALOGUES }, () =>
    taughtDocument(drawTaught(task, 'held-out', random), tokenizer),
  );
};

export const writeTask = async (
  folder: string,
  task: AdapterTask,
  tokenizer: BytePairTokenizer,
): Promise<void> => {
  const seed = seedOf(task);
  const random = seededRandom(seed);
  const training = Array.from({ length: TRAINING_DIALOGUES }, () =>
    taughtDocument(drawTaught(task, 'training', random), tokenizer),
  );
  const heldOut = heldOutDocuments(task, tokenizer);
  const sample = [
    ...taughtDocument({ question: SAMPLE_PROMPT, answer: '' }, tokenizer).ids.slice(0, -2),
  ];
  const endId = tokenizer.control('<|im_end|>');
  const work = { slug: task.slug, seed, training, heldOut, sample, endId };
  await writeFile(path.join(folder, `${task.slug}.task.json`), JSON.stringify(work));
};

export interface TrainedAdapter {
  readonly task: AdapterTask;
  readonly weights: Buffer;
  readonly figures: Figures;
  readonly answer: string;
}

export const readTrained = async (
  folder: string,
  task: AdapterTask,
  tokenizer: BytePairTokenizer,
): Promise<TrainedAdapter> => {
  const text = await readFile(path.join(folder, `${task.slug}.figures.json`), 'utf8');
  const figures = Figures.parse(JSON.parse(text));
  const weights = await readFile(path.join(folder, `${task.slug}.safetensors`));
  return { task, weights, figures, answer: tokenizer.decode(figures.sampleIds) };
};
