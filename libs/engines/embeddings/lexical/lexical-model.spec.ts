import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textOfTokens, tokensOf } from './cl100k.js';
import { BUCKETS, featuresOf, termWeight, wordsOf } from './features.js';
import { embedLexically } from './lexical-model.js';
import {
  CARD_FILE,
  readLexicalModel,
  type StoredLexicalModel,
  WEIGHTS_FILE,
} from './lexical-weights.js';
import { project, SPREAD, sparseEntry, weightedFeatures } from './projection.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const FOLDER = path.join(ROOT, 'models/embeddings/quipu-embed-768');
const TOKENS = path.join(ROOT, 'test/oracles/embeddings/tokens.json');

interface TokenVectors {
  readonly vectors: readonly { readonly text: string; readonly tokens: readonly number[] }[];
}

describe('tokens of cl100k_base', () => {
  it('agree with js-tiktoken, both ways', async () => {
    const { vectors } = JSON.parse(await readFile(TOKENS, 'utf8')) as TokenVectors;
    expect(vectors).toHaveLength(12);
    for (const { text, tokens } of vectors) {
      expect({ text, count: tokensOf(text) }).toEqual({ text, count: tokens.length });
      expect(textOfTokens(tokens)).toBe(text);
    }
  });

  it('encode text', () => {
    expect(() => textOfTokens([9_906, 100_256])).toThrow('100256 is no token of text');
  });
});

describe('features of a text', () => {
  it('are its words in compatibility form and without case', () => {
    expect(wordsOf('The ﬁrst Ⅳ-fold, 3rd Gröẞe')).toEqual([
      'the',
      'first',
      'iv',
      'fold',
      '3rd',
      'größe',
    ]);
  });

  it('are the word and its n-grams of 3 to 6, with their counts', () => {
    // <knot>: 4 of length 3, 3 of 4, 2 of 5, 1 of 6, and the word.
    expect(featuresOf('knot').buckets).toHaveLength(11);
    expect([...featuresOf('knot knot').counts]).toEqual(Array(11).fill(2));
    expect(featuresOf('?!').buckets).toHaveLength(0);
  });

  it('do not depend on the order of words', () => {
    expect(featuresOf('man bites dog')).toEqual(featuresOf('dog bites man'));
  });

  it('weigh the logarithm of their count', () => {
    expect([1, 2, 10].map(termWeight)).toEqual([1, 1 + Math.log(2), 1 + Math.log(10)]);
  });
});

describe('a lexical model', () => {
  let model: StoredLexicalModel;

  beforeAll(async () => {
    model = await readLexicalModel(path.join(FOLDER, WEIGHTS_FILE));
  });

  /** Row times matrix, with the matrix written out. */
  it('multiplies the features with its matrix', () => {
    const { projection } = model;
    const { dimensions, rank } = projection;
    const features = featuresOf('Knots keep accounts.');
    const values = weightedFeatures(features, projection.idf);
    const matrix = new Float64Array(BUCKETS * dimensions);
    for (const bucket of features.buckets) {
      for (let column = 0; column < rank; column += 1) {
        matrix[bucket * dimensions + column] =
          (projection.dense[bucket * rank + column] ?? 0) * (projection.scales[column] ?? 0);
      }
      for (let entry = 0; entry < SPREAD; entry += 1) {
        const { column, value } = sparseEntry(bucket, entry, dimensions - rank);
        const at = bucket * dimensions + rank + column;
        matrix[at] = (matrix[at] ?? 0) + value * (projection.weights[bucket] ?? 0);
      }
    }
    const vector = project(features, projection);
    for (let column = 0; column < dimensions; column += 1) {
      const sum = [...features.buckets].reduce(
        (total, bucket, at) =>
          total + (values[at] ?? 0) * (matrix[bucket * dimensions + column] ?? 0),
        0,
      );
      expect(vector[column]).toBeCloseTo(sum, 12);
    }
  });

  it('gives a text one vector of length 1, bit for bit', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,9}$/), (text) => {
        const { vector, tokens } = embedLexically(model, text, null);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
        expect(tokens).toBeGreaterThan(0);
        expect(embedLexically(model, text, null).vector).toEqual(vector);
      }),
      { numRuns: 50 },
    );
  });

  it('cuts a vector to a prefix of length 1', () => {
    const { vector: whole } = embedLexically(model, 'Knots keep accounts.', null);
    const { vector: cut } = embedLexically(model, 'Knots keep accounts.', 3);
    const length = Math.hypot(...whole.slice(0, 3));
    expect([...cut]).toEqual(
      [...whole.slice(0, 3)].map((value) => expect.closeTo(value / length, 6)),
    );
  });

  it.each([
    ['dimensions_unsupported', 'a', 769],
    ['input_unreadable', '…', null],
    ['tokens_invalid', [100_300], null],
    ['input_too_long', 'word '.repeat(8_192), null],
    ['input_too_long', 'ab '.repeat(21_846), null],
    ['input_too_long', 'x'.repeat(4_096), null],
    ['input_too_long', `a${' '.repeat(4_096)}b`, null],
    ['input_too_long', '='.repeat(4_096), null],
  ] as const)('refuses with %s', (code, input, dimensions) => {
    expect(() => embedLexically(model, input, dimensions)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('takes the longest text', () => {
    expect(embedLexically(model, 'word '.repeat(8_191).trim(), null).tokens).toBe(8_191);
    expect(embedLexically(model, `${'x'.repeat(4_095)} y`, 1).vector).toHaveLength(1);
  });
});

describe('the files of a lexical model', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-embed-'));
    await copyFile(path.join(FOLDER, CARD_FILE), path.join(folder, CARD_FILE));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('must be there', async () => {
    const missing = expect.objectContaining({ code: 'model_file_missing' });
    await expect(readLexicalModel(path.join(folder, WEIGHTS_FILE))).rejects.toEqual(missing);
    await expect(readLexicalModel(path.join(folder, 'none', WEIGHTS_FILE))).rejects.toEqual(
      missing,
    );
  });

  it('must belong to the card', async () => {
    const file = path.join(folder, WEIGHTS_FILE);
    const weights = await readFile(path.join(FOLDER, WEIGHTS_FILE));
    weights[weights.length - 1] = 1 ^ (weights.at(-1) ?? 0);
    await writeFile(file, weights);
    await expect(readLexicalModel(file)).rejects.toThrow(/SHA-256 is .* the card says/);
    await writeFile(path.join(folder, CARD_FILE), '{}');
    await expect(readLexicalModel(file)).rejects.toThrow('is no model card');
  });
});
