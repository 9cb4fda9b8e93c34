/** The figures of shipped adapters, computed again by another program than the one that trained. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdapterManifest } from '#areas/adapters/shipped-card.js';
import { readSafetensors } from '#platform/safetensors/safetensors.js';
import { type BytePairTokenizer, bytePairTokenizer } from '../byte-pair.tokenizer.js';
import { type Document } from '../batch.js';
import { type GgufModel, readGguf } from '#engines/training/files/gguf.js';
import { lossOf, startTensorFlow } from '#engines/training/gradient.shard.js';
import { LlamaModel, type NamedTensor } from '#engines/training/model/llama.model.js';
import { GAIN_MIN } from './adapter.recipe.js';
import { ADAPTER_TASKS } from './adapter.tasks.js';
import { heldOutDocuments } from './adapter.work.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models');
/** Answers of a word or two, so that the check is quick. */
const CHECKED = 'topic';

/** Mean -log p of the weighted tokens. */
const meanLoss = (model: LlamaModel, documents: readonly Document[]): number => {
  let [loss, tokens] = [0, 0];
  for (const { ids, weights } of documents) {
    const counted = Float32Array.from(weights.slice(1), (weight) => (weight > 0 ? 1 : 0));
    const targets = Int32Array.from(ids.slice(1));
    loss += lossOf(model, {
      ids: Int32Array.from(ids.slice(0, -1)),
      targets,
      weights: counted,
      rows: 1,
    });
    tokens += counted.reduce((sum, one) => sum + one, 0);
  }
  return loss / tokens;
};

describe('the shipped adapters', () => {
  let manifest: AdapterManifest;
  let nano: GgufModel;
  let tokenizer: BytePairTokenizer;

  beforeAll(async () => {
    await startTensorFlow();
    nano = readGguf(await readFile(path.join(MODELS, 'nano.gguf')));
    tokenizer = bytePairTokenizer(nano.vocabulary);
    const text = await readFile(path.join(MODELS, 'adapters', 'manifest.json'), 'utf8');
    manifest = AdapterManifest.parse(JSON.parse(text));
  });

  const adapted = async (file: string): Promise<NamedTensor[]> => {
    const bytes = await readFile(path.join(MODELS, 'adapters', file));
    const adapter = readSafetensors(bytes, ['F16']);
    const scale = manifest.alpha / manifest.rank;
    return nano.tensors.map((tensor) => {
      const stem = `base_model.model.${tensor.name.replace(/\.weight$/, '')}`;
      const [a, b] = ['A', 'B'].map((side) => adapter.get(`${stem}.lora_${side}.weight`));
      const [, columns = 0] = tensor.shape;
      if (!a || !b) return tensor;
      const values = tensor.values.map((value, index) => {
        const [row, column] = [Math.floor(index / columns), index % columns];
        let sum = 0;
        for (let at = 0; at < manifest.rank; at += 1) {
          sum +=
            (b.values[row * manifest.rank + at] ?? NaN) * (a.values[at * columns + column] ?? NaN);
        }
        return value + scale * sum;
      });
      return { ...tensor, values };
    });
  };

  it('have the tasks of the recipe, each once', () => {
    const slugs = ADAPTER_TASKS.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
    const described = new Map(ADAPTER_TASKS.map((task) => [task.slug, task.category]));
    for (const { slug, category } of manifest.adapters) expect(described.get(slug)).toBe(category);
  });

  it('gain over their base, and over knowing how often tokens occur', () => {
    for (const { heldOut } of manifest.adapters) {
      expect(heldOut.baseLoss - heldOut.loss).toBeGreaterThanOrEqual(GAIN_MIN);
      expect(heldOut.loss).toBeLessThan(heldOut.frequencyLoss);
    }
  });

  it('have the losses that the manifest states', async () => {
    const card = manifest.adapters.find(({ slug }) => slug === CHECKED);
    const task = ADAPTER_TASKS.find(({ slug }) => slug === CHECKED);
    if (!card || !task) throw new Error(`no adapter ${CHECKED}`);
    const documents = heldOutDocuments(task, tokenizer);
    const [base, changed] = [
      new LlamaModel(nano.shape, nano.tensors),
      new LlamaModel(nano.shape, await adapted(card.file)),
    ];
    expect(meanLoss(base, documents)).toBeCloseTo(card.heldOut.baseLoss, 3);
    expect(meanLoss(changed, documents)).toBeCloseTo(card.heldOut.loss, 3);
    base.dispose();
    changed.dispose();
  });
});
