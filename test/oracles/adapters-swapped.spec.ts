/** All shipped adapters through one engine, and the gain that the manifest claims. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedBaseModels } from '#apps/composition/adapters/base-models.binding.js';
import { AdapterFiles } from '#areas/adapters/adapter-files.js';
import { AdapterVault } from '#areas/adapters/adapter-vault.js';
import { ShippedAdapters } from '#areas/adapters/shipped-adapters.js';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
} from '#engines/language-model/language-model.engine.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');
const NANO = path.join(MODELS, 'nano.gguf');
const TOKENS = 3;
const AT_ONCE = 4;
const never = new AbortController().signal;

/** In another order, in which neighbours are far apart. */
const shuffled = <Item>(items: readonly Item[]): Item[] => {
  const step = 37;
  return items.map((_, index) => items[(index * step) % items.length] as Item);
};

describe('more than a hundred adapters on one model', () => {
  let folder: string;
  let engine: LanguageModelEngine;
  let files: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-swaps-'));
    engine = createLanguageModelEngine();
    const model = { rigs: ['here'], file: NANO };
    const rigs = [{ name: 'here', kind: 'embedded' }] as const;
    const bases = new EmbeddedBaseModels({ model: () => model, rigs: () => rigs });
    const base = await bases.find('quipu/nano');
    const shipped = new ShippedAdapters({ shippedFolders: [path.join(MODELS, 'adapters')] });
    // No account is asked for: every slug is shipped.
    const stored = {
      find: () => Promise.resolve(undefined),
      weights: () => Promise.reject(new Error('no account has adapters here')),
    };
    const vault = new AdapterVault(shipped, stored);
    const written = new AdapterFiles({ engineFolder: folder });
    const entries = await vault.shippedEntries();
    files = await Promise.all(
      entries.map(async ({ slug }) => written.fileOf(await vault.find('7', slug), base)),
    );
  });

  afterAll(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  const answer = async (file: string) => {
    const request = {
      modelFile: NANO,
      messages: [{ role: 'user', content: 'What is a hold?' }],
      maxTokens: TOKENS,
      temperature: 0,
      adapter: { file, scale: 1 },
    } as const;
    const pieces = engine.stream(request, never);
    let text = '';
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) text += next.value;
    return { text, swapMs: next.value.adapterSwapMs };
  };

  it('answer beside each other as they answer one by one', async () => {
    expect(files.length).toBeGreaterThan(100);
    const alone = new Map<string, string>();
    for (const file of files) {
      const { text, swapMs } = await answer(file);
      expect(swapMs).toBeGreaterThan(0);
      alone.set(file, text);
    }
    expect(new Set(alone.values()).size).toBeGreaterThan(files.length / 2);
    const queue = shuffled(files);
    const beside = new Map<string, string>();
    const work = async (): Promise<void> => {
      for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
        beside.set(file, (await answer(file)).text);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(beside).toEqual(alone);
  });

  it('are what the manifest names', async () => {
    const text = await readFile(path.join(MODELS, 'adapters', 'manifest.json'), 'utf8');
    expect((JSON.parse(text) as { adapters: unknown[] }).adapters).toHaveLength(files.length);
  });
});
