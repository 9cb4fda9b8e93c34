/** Writes batches of token ids for `train.py`: a file for each stage, a block for each step. */
import { open } from 'node:fs/promises';
import { type Batch } from '#engines/training/gradient.shard.js';
import { drawBatch, type BatchShape } from '../batch.js';
import type { BytePairTokenizer } from '../byte-pair.tokenizer.js';
import type { Split } from '../corpus/corpus.generator.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';

/** Weights are stored in hundredths. */
const WEIGHT_UNIT = 0.01;

/** 16-bit ids, 16-bit targets, 8-bit weights, each row-major `[rows, positions]`. */
export const blockOf = ({ ids, targets, weights }: Batch): Buffer =>
  Buffer.concat([
    Buffer.from(Uint16Array.from(ids).buffer),
    Buffer.from(Uint16Array.from(targets).buffer),
    Buffer.from(Uint8Array.from(weights, (weight) => Math.round(weight / WEIGHT_UNIT))),
  ]);

export interface RowsOrder {
  readonly split: Split;
  readonly tokenizer: BytePairTokenizer;
  readonly random: SeededRandom;
  readonly shape: BatchShape;
  readonly blocks: number;
}

export const writeRows = async (
  file: string,
  { split, tokenizer, random, shape, blocks }: RowsOrder,
): Promise<void> => {
  const handle = await open(file, 'w');
  try {
    for (let block = 0; block < blocks; block += 1) {
      await handle.write(blockOf(drawBatch(split, tokenizer, random, shape)));
    }
  } finally {
    await handle.close();
  }
};
