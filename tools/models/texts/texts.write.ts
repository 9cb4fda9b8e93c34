/** Writes the text by which quantized models are measured: no model was trained on its phrasings. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom } from '#engines/training/seeded-random.js';
import { SHARED_CORPUS } from '../corpus/corpora.js';
import { dialogue } from '../corpus/corpus.generator.js';

const TEXT = { name: 'quipu-held-out', split: 'held-out', seed: 4_411, dialogues: 120 } as const;

export const writeTexts = async (folder: string): Promise<void> => {
  const random = seededRandom(TEXT.seed);
  const chats = Array.from({ length: TEXT.dialogues }, () =>
    dialogue(TEXT.split, random, 0, SHARED_CORPUS)
      .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
      .join(''),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${TEXT.name}.txt`), chats.join('<|endoftext|>'));
};
