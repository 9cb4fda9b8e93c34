/** Adapters on nano: what it says with one is what the merged weights say. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adapterFile, mergedModel, seededAdapter } from './adapter-file.fixture.js';
import {
  type CompletionRequest,
  type CompletionUsage,
  createLanguageModelEngine,
  type LanguageModelEngine,
} from './language-model.engine.js';
import {
  AdapterFileInvalidError,
  AdapterFileMissingError,
} from './language-model.engine.errors.js';

const NANO = fileURLToPath(new URL('../../../models/nano.gguf', import.meta.url));
const ADAPTERS = 120;
const never = new AbortController().signal;

describe('adapters of a language model', () => {
  let engine: LanguageModelEngine;
  let folder: string;
  let nano: Buffer;

  const inFolder = (name: string): string => path.join(folder, name);

  const asking = (more: Partial<CompletionRequest> = {}): CompletionRequest => ({
    modelFile: NANO,
    messages: [{ role: 'user', content: 'What is a hold?' }],
    maxTokens: 12,
    temperature: 0,
    ...more,
  });

  const complete = async (
    request: CompletionRequest,
  ): Promise<{ readonly text: string; readonly usage: CompletionUsage }> => {
    const stream = engine.stream(request, never);
    let text = '';
    for (;;) {
      const next = await stream.next();
      if (next.done) return { text, usage: next.value };
      text += next.value;
    }
  };

  const withAdapter = (seed: number, scale = 1) =>
    complete(asking({ adapter: { file: inFolder(`${seed}.gguf`), scale } }));

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-adapters-'));
    nano = await readFile(NANO);
    for (let seed = 0; seed < ADAPTERS; seed += 1) {
      await writeFile(inFolder(`${seed}.gguf`), adapterFile(seededAdapter(seed)));
    }
    // The limit is below the number of adapters, so that some are freed and loaded again.
    engine = createLanguageModelEngine({ adaptersMax: 110, loadedModelsMax: 3 });
  });

  afterAll(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  it.each([1, 0.5, -1])('says at scale %d what merged weights say', async (scale) => {
    const modelFile = inFolder(`merged${scale}.gguf`);
    await writeFile(modelFile, mergedModel(nano, seededAdapter(1), scale));
    const merged = await complete(asking({ modelFile, maxTokens: 48 }));
    const adapter = { file: inFolder('1.gguf'), scale };
    const adapted = await complete(asking({ adapter, maxTokens: 48 }));
    expect(adapted.text).toBe(merged.text);
    expect(adapted.text).not.toBe((await complete(asking({ maxTokens: 48 }))).text);
  });

  it('describes an adapter without a model', async () => {
    expect(await engine.describeAdapter(inFolder('1.gguf'))).toEqual({
      architecture: 'llama',
      rank: 4,
      alpha: 8,
      sha256: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  it('keeps over a hundred in memory, and each says the same after every swap', async () => {
    const plain = await complete(asking());
    const first: string[] = [];
    for (let seed = 0; seed < ADAPTERS; seed += 1) first.push((await withAdapter(seed)).text);
    expect(new Set(first).size).toBeGreaterThan(ADAPTERS / 2);
    for (const seed of [0, 119, 3, 57, 3]) {
      expect((await withAdapter(seed)).text).toBe(first[seed]);
    }
    expect((await complete(asking())).text).toBe(plain.text);
    expect(plain.usage).not.toHaveProperty('adapterSwapMs');
  });

  it('serves different adapters side by side', async () => {
    const seeds = [4, 5, 6, 7, 4, 5];
    const alone: string[] = [];
    for (const seed of seeds) alone.push((await withAdapter(seed)).text);
    const beside = await Promise.all(seeds.map((seed) => withAdapter(seed)));
    expect(beside.map(({ text }) => text)).toEqual(alone);
  });

  it('says how long a swap took, and null where the adapter was in place', async () => {
    const swapped = await withAdapter(8);
    expect(swapped.usage.adapterSwapMs).toBeGreaterThan(0);
    expect((await withAdapter(8)).usage.adapterSwapMs).toBeNull();
    expect((await withAdapter(8, 0.5)).usage.adapterSwapMs).toBeGreaterThan(0);
  });

  it('reads a file again when it has changed', async () => {
    await writeFile(inFolder('changing.gguf'), adapterFile(seededAdapter(10)));
    const adapter = { file: inFolder('changing.gguf'), scale: 1 };
    expect((await complete(asking({ adapter }))).text).toBe((await withAdapter(10)).text);
    await rm(inFolder('changing.gguf'));
    await writeFile(inFolder('changing.gguf'), adapterFile(seededAdapter(11)));
    expect((await complete(asking({ adapter }))).text).toBe((await withAdapter(11)).text);
  });

  it('rejects matrices without a pair, or of two ranks, before the model is loaded', async () => {
    const [one, ...others] = seededAdapter(1).weights;
    if (one === undefined) throw new Error('there are no weights');
    const file = inFolder('broken.gguf');
    const described = async (bytes: Buffer) => {
      await writeFile(file, bytes);
      return engine.describeAdapter(file);
    };
    const whole = adapterFile(seededAdapter(1)).toString('latin1');
    const odd = whole.replace(`${one.name}.lora_a`, `${one.name}.lora_x`);
    await expect(described(Buffer.from(odd, 'latin1'))).rejects.toThrow(/no matrix of a LoRA/);
    const alone = whole.replace(`${one.name}.lora_b`, `${'x'.repeat(one.name.length)}.lora_b`);
    await expect(described(Buffer.from(alone, 'latin1'))).rejects.toThrow(/without/);
    const wider = { ...one, a: new Float32Array(one.a.length + one.width) };
    const uneven = { rank: 4, alpha: 8, weights: [{ ...wider, rankOfA: 5 }, ...others] };
    await expect(described(adapterFile(uneven))).rejects.toThrow(/different ranks/);
  });

  it('rejects a file that is absent, no adapter, cut short or of another model', async () => {
    const good = adapterFile(seededAdapter(1));
    await writeFile(inFolder('text.gguf'), 'not an adapter');
    await writeFile(inFolder('cut.gguf'), good.subarray(0, good.length / 2));
    await writeFile(inFolder('narrow.gguf'), adapterFile(seededAdapter(1, { width: 64 })));
    const running = complete(asking({ maxTokens: 200, temperature: 2, seed: 3 }));
    const asked = (file: string) => complete(asking({ adapter: { file, scale: 1 } }));
    await expect(asked(inFolder('absent.gguf'))).rejects.toThrow(AdapterFileMissingError);
    for (const name of ['text.gguf', 'cut.gguf', 'narrow.gguf']) {
      await expect(asked(inFolder(name))).rejects.toThrow(AdapterFileInvalidError);
    }
    await expect(asked(NANO)).rejects.toThrow(AdapterFileInvalidError);
    await expect(asked(inFolder('narrow.gguf'))).rejects.toThrow(/incorrect shape/);
    expect((await running).usage.completionTokens).toBeGreaterThan(0);
    expect((await withAdapter(1)).text).not.toBe('');
  });
});
