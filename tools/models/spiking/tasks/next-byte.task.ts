/** The next byte of the project's own prose. */
import { SYMBOL_NAMES, symbolOf } from '#engines/spiking/models/byte-symbols.js';
import type { Split } from '../../corpus/corpus.generator.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { prose } from './prose.js';
import type { ClassificationTask } from './task.js';

export const CONTEXT = 32;
const TEXT_BYTES = 200_000;
const TEXT_SEED = 1919;

const texts = new Map<Split, Uint8Array>();

const textOf = (split: Split): Uint8Array => {
  const text = texts.get(split) ?? prose(split, seededRandom(TEXT_SEED), TEXT_BYTES);
  texts.set(split, text);
  return text;
};

/** Windows of the text. Training and held-out windows come from different paragraphs. */
export const nextByte: ClassificationTask = {
  name: 'next-byte',
  description:
    `${CONTEXT} bytes of the project's own prose, printable ASCII and line feeds; ` +
    'the class is the byte that follows. Classes are as frequent as bytes are.',
  inputShape: [CONTEXT],
  classes: SYMBOL_NAMES,
  draw(random, split = 'training') {
    const text = textOf(split);
    const start = random.below(text.length - CONTEXT);
    const window = text.subarray(start, start + CONTEXT);
    return { input: Float32Array.from(window), label: symbolOf(text[start + CONTEXT] ?? 0) };
  },
};
