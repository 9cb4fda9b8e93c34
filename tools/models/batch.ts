/** Turns dialogues and prose into rows of token ids with a weight per target. */
import { type Batch } from '#engines/training/gradient.shard.js';
import type { BytePairTokenizer } from './byte-pair.tokenizer.js';
import { NANO_CORPUS, type Corpus } from './corpus/corpora.js';
import { dialogue, paragraph, type Split, type Turn } from './corpus/corpus.generator.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';

/** Tokens that the model must produce count fully, those of users a little, to be read well. */
const PROMPT_WEIGHT = 0.1;
const PROSE_SHARE = 0.04;

export interface Document {
  readonly ids: readonly number[];
  /** For each id, how much predicting it counts. */
  readonly weights: readonly number[];
}

/** A dialogue in the chat template, cut exactly as llama.cpp cuts the rendered text. */
export const dialogueDocument = (
  turns: readonly Turn[],
  tokenizer: BytePairTokenizer,
  promptWeight: number,
): Document => {
  const ids: number[] = [];
  const weights: number[] = [];
  const add = (added: readonly number[], weight: number): void => {
    ids.push(...added);
    weights.push(...added.map(() => weight));
  };
  for (const { role, content } of turns) {
    add([tokenizer.control('<|im_start|>')], 0);
    add(tokenizer.encode(`${role}\n`), 0);
    const weight = role === 'assistant' ? 1 : promptWeight;
    add([...tokenizer.encode(content), tokenizer.control('<|im_end|>')], weight);
    add(tokenizer.encode('\n'), 0);
  }
  return { ids, weights };
};

const drawDocument = (
  split: Split,
  tokenizer: BytePairTokenizer,
  random: SeededRandom,
  { commonShare, corpus = NANO_CORPUS }: BatchShape,
): Document => {
  if (split === 'training' && random.next() < PROSE_SHARE) {
    const ids = tokenizer.encode(paragraph(random, corpus));
    return { ids, weights: ids.map(() => 1) };
  }
  const promptWeight = split === 'training' ? PROMPT_WEIGHT : 0;
  return dialogueDocument(dialogue(split, random, commonShare, corpus), tokenizer, promptWeight);
};

export interface BatchShape {
  readonly rows: number;
  readonly positions: number;
  /** Share of questions drawn from the common ones. */
  readonly commonShare: number;
  /** Nano's, unless another is given. */
  readonly corpus?: Corpus;
}

/**
 * Draws `rows` rows of `positions` inputs, packing whole documents until the next would not fit.
 * Documents in a row see the ones before them, parted by `<|endoftext|>`, which also fills the end.
 */
export const drawBatch = (
  split: Split,
  tokenizer: BytePairTokenizer,
  random: SeededRandom,
  shape: BatchShape,
): Batch => {
  const { rows, positions } = shape;
  const separator = tokenizer.control('<|endoftext|>');
  const ids = new Int32Array(rows * positions).fill(separator);
  const targets = new Int32Array(rows * positions).fill(separator);
  const weights = new Float32Array(rows * positions);
  for (let row = 0; row < rows; row += 1) {
    let at = 0;
    for (;;) {
      const document = drawDocument(split, tokenizer, random, shape);
      const length = document.ids.length;
      if (at + length > positions && at > 0) break;
      const start = row * positions + at;
      const end = Math.min(length, positions - at);
      for (let index = 0; index < end; index += 1) {
        ids[start + index] = document.ids[index] ?? separator;
        if (index + 1 < length) {
          targets[start + index] = document.ids[index + 1] ?? separator;
          weights[start + index] = document.weights[index + 1] ?? 0;
        }
      }
      at += length + 1;
      if (at >= positions) break;
    }
  }
  return { ids, targets, weights, rows };
};
