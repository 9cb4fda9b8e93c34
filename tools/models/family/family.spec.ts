/** The shipped mini and its draft: their files, and the trainer's numbers on TensorFlow.js. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { bytePairTokenizer } from '../byte-pair.tokenizer.js';
import { MINI_CORPUS } from '../corpus/corpora.js';
import { readGguf, writeGguf, type GgufModel } from '#engines/training/files/gguf.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { LlamaModel } from '#engines/training/model/llama.model.js';
import type { Reference } from '../manifest.js';
import { heldOutFigures } from '../trainer.js';
import { familyCard } from './family.card.js';
import type { FamilyManifest } from './family.manifest.js';
import { FAMILY, recipeOf } from './family.recipe.js';
import { familyOrder } from './family.train.js';

const inModels = (name: string): string =>
  fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));

const json = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(inModels(name), 'utf8'));

const manifestOf = async (slug: string): Promise<FamilyManifest> =>
  (await json(`${slug}.json`)) as FamilyManifest;

const sha256Of = async (name: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(inModels(name)))
    .digest('hex');

describe.each(FAMILY.map(({ slug }) => slug))('the shipped %s', (slug) => {
  let bytes: Buffer;
  let shipped: GgufModel;
  let model: LlamaModel;
  let manifest: FamilyManifest;

  beforeAll(async () => {
    await startTensorFlow();
    bytes = await readFile(inModels(`${slug}.gguf`));
    manifest = await manifestOf(slug);
    shipped = readGguf(bytes);
    model = new LlamaModel(shipped.shape, shipped.tensors);
  });

  afterAll(() => model.dispose());

  it('is the file of its manifest, its card and its recipe', async () => {
    const { name, shape, distillation } = recipeOf(slug);
    expect(manifest).toMatchObject({ name, distillation, bytes: bytes.length });
    expect(manifest.sha256).toBe(await sha256Of(manifest.file));
    expect(manifest.shape).toEqual({ ...shape, vocabulary: shipped.vocabulary.tokens.length });
    expect(bytes.length).toBeLessThan(16_000_000);
    const card = await readFile(inModels(`${slug}.md`), 'utf8');
    expect(card).toBe(familyCard(manifest));
  });

  it('survives being read and written to the byte', () => {
    expect(writeGguf(shipped).equals(bytes)).toBe(true);
  });

  it('has the tokenizer of nano', async () => {
    const nano = readGguf(await readFile(inModels(manifest.tokenizerOf)));
    expect(shipped.vocabulary).toEqual(nano.vocabulary);
  });

  it('has the logits and the greedy text of its reference to 1e-3', async () => {
    const reference = (await json(manifest.reference)) as Reference;
    expect(reference.sha256).toBe(manifest.sha256);
    expect(reference.prompts.length).toBeGreaterThanOrEqual(5);
    for (const { ids, logits, greedy } of reference.prompts) {
      const rows = tf.tidy(() => {
        const all = model.logits(Int32Array.from([...ids, ...greedy]), 1);
        return tf.slice(all, [ids.length - 1, 0]).arraySync() as number[][];
      });
      const differences = logits.map((logit, id) => Math.abs(logit - (rows[0]?.[id] ?? NaN)));
      expect(Math.max(...differences)).toBeLessThan(1e-3);
      const chosen = rows.map((row) => row.indexOf(Math.max(...row)));
      expect(chosen.slice(0, greedy.length)).toEqual(greedy);
    }
  });

  it('has the held-out score of its manifest on a sample', () => {
    const tokenizer = bytePairTokenizer(shipped.vocabulary);
    const { heldOutPerplexity, heldOutTokens } = heldOutFigures(model, tokenizer, 1, MINI_CORPUS);
    expect(heldOutTokens).toBe(manifest.heldOutSample.tokens);
    expect(heldOutPerplexity).toBeCloseTo(manifest.heldOutSample.perplexity, 3);
  });
});

describe('mini', () => {
  it('knows the answers that nano knows at least as well, and its draft does not', async () => {
    const { sharedHeldOut } = await manifestOf('mini');
    const { sharedHeldOut: ofDraft } = await manifestOf('mini-draft');
    expect(sharedHeldOut['mini']?.perplexity).toBeLessThan(sharedHeldOut['nano']?.perplexity ?? 0);
    expect(ofDraft['mini-draft']?.perplexity).toBeGreaterThan(
      sharedHeldOut['mini']?.perplexity ?? Infinity,
    );
  });

  it('and its draft name each other', async () => {
    const [mini, draft] = [await manifestOf('mini'), await manifestOf('mini-draft')];
    expect(mini.target).toBeNull();
    expect(mini.draft).toEqual({ file: draft.file, sha256: await sha256Of(draft.file) });
    expect(draft.draft).toBeNull();
    expect(draft.target).toMatchObject({ file: mini.file, sha256: await sha256Of(mini.file) });
    expect(mini.tokenizerOf).toBe(draft.tokenizerOf);
  });
});

describe('the command', () => {
  it('trains the whole family or one model, with its defaults', () => {
    const order = familyOrder(['--python', '/opt/python', '--seed', '7'], 'mini');
    expect(order).toMatchObject({ slug: 'mini', python: '/opt/python', seed: 7, out: 'models' });
    expect(familyOrder([], null)).toMatchObject({ slug: null, python: 'python3', seed: 1532 });
  });

  it('rejects a model that the family does not have', () => {
    expect(() => familyOrder([], 'maxi')).toThrow('the family has no maxi; there are mini');
  });
});
