/** Writes the texts by which jobs measure models: dialogues of phrasings that no model has seen. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SHARED_CORPUS } from '../corpus/corpora.js';
import { dialogue } from '../corpus/corpus.generator.js';
import { seededRandom } from '../seeded-random.js';

const TEXT = {
  name: 'dialogues-held-out',
  split: 'held-out',
  seed: 4_411,
  dialogues: 120,
} as const;

export const writeTexts = async (folder: string): Promise<void> => {
  const random = seededRandom(TEXT.seed);
  const dialogues = Array.from({ length: TEXT.dialogues }, () =>
    dialogue(TEXT.split, random, 0, SHARED_CORPUS)
      .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
      .join(''),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${TEXT.name}.txt`), dialogues.join('<|endoftext|>'));
};
