/** Writes the texts of jobs: dialogues that accounts may train on, and others to measure by. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom } from '#engines/training/seeded-random.js';
import { SHARED_CORPUS } from './corpus/corpora.js';
import { dialogue } from './corpus/corpus.generator.js';

const SEED = 4_242;
const TRAINING = 600;
const HELD_OUT = 80;
const MEASURED = { seed: 4_411, dialogues: 120 } as const;

/**
 * `quipu.jsonl`: what every shipped model has learned, in the wordings of both splits.
 * `quipu-held-out.txt`: wordings that none has learned, as the models read them.
 */
export const writeCorpora = async (folder: string): Promise<void> => {
  const random = seededRandom(SEED);
  const lines = [
    ...Array.from({ length: TRAINING }, () => ({
      messages: dialogue('training', random, 0, SHARED_CORPUS),
    })),
    ...Array.from({ length: HELD_OUT }, () => ({
      messages: dialogue('held-out', random, 0, SHARED_CORPUS),
      heldOut: true,
    })),
  ];
  await mkdir(folder, { recursive: true });
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  await writeFile(path.join(folder, 'quipu.jsonl'), text);
  await writeFile(path.join(folder, 'quipu-held-out.txt'), measuredText());
};

const measuredText = (): string => {
  const random = seededRandom(MEASURED.seed);
  const chats = Array.from({ length: MEASURED.dialogues }, () =>
    dialogue('held-out', random, 0, SHARED_CORPUS)
      .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
      .join(''),
  );
  return chats.join('<|endoftext|>');
};
