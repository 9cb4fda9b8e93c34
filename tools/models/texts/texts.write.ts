/**
 * Writes the texts of jobs: dialogues to learn from, and dialogues of phrasings that no model of
 * this repository has seen, to measure by.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { SHARED_CORPUS } from '../corpus/corpora.js';
import { dialogue, type Split, type Turn } from '../corpus/corpus.generator.js';

const MEASURED = { name: 'dialogues-held-out.txt', seed: 4_411, dialogues: 120 } as const;
const LEARNED = { name: 'dialogues.jsonl', seed: 4_412, dialogues: 1_200, judged: 24 } as const;

const drawn = (split: Split, count: number, random: SeededRandom): Turn[][] =>
  Array.from({ length: count }, () => dialogue(split, random, 0, SHARED_CORPUS));

export const writeTexts = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const chats = drawn('held-out', MEASURED.dialogues, seededRandom(MEASURED.seed)).map((turns) =>
    turns.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join(''),
  );
  await writeFile(path.join(folder, MEASURED.name), chats.join('<|endoftext|>'));

  const random = seededRandom(LEARNED.seed);
  const documents = [
    ...drawn('training', LEARNED.dialogues, random).map((messages) => ({ messages })),
    ...drawn('held-out', LEARNED.judged, random).map((messages) => ({ messages, heldOut: true })),
  ];
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`);
  await writeFile(path.join(folder, LEARNED.name), lines.join(''));
};
