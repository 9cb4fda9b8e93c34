import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { drawBatch } from '../batch.js';
import { bytePairTokenizer, trainBytePairs } from '../byte-pair.tokenizer.js';
import { MINI_CORPUS } from '../corpus/corpora.js';
import { CONTROLS } from '../nano.recipe.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { blockOf, writeRows } from './training-rows.js';

const tokenizer = bytePairTokenizer(trainBytePairs(['What is a hold?'], 270, CONTROLS));
const shape = { rows: 2, positions: 300, commonShare: 0.1, corpus: MINI_CORPUS };

describe('rows for the trainer', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-rows-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('are ids, targets and weights of each batch, one behind the other', async () => {
    const file = path.join(folder, 'some.rows');
    const order = { split: 'training', tokenizer, shape, blocks: 2 } as const;
    await writeRows(file, { ...order, random: seededRandom(3) });
    const bytes = await readFile(file);
    const random = seededRandom(3);
    const batches = [1, 2].map(() => drawBatch('training', tokenizer, random, shape));
    expect(bytes).toEqual(Buffer.concat(batches.map(blockOf)));
    expect(bytes).toHaveLength(2 * 2 * 300 * 5);
  });

  it('keep every id and a weight to a hundredth', () => {
    const block = blockOf({
      ids: Int32Array.of(1279, 258),
      targets: Int32Array.of(258, 3),
      weights: Float32Array.of(1, 0.1),
      rows: 1,
    });
    expect([...block]).toEqual([0xff, 4, 2, 1, 2, 1, 3, 0, 100, 10]);
  });
});
