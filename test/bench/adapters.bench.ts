/**
 * Swaps every shipped adapter onto nano, first from its file and then from memory, with as many
 * resident as the engine keeps: `npm run adapters`. Milliseconds as the engine reports them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedBaseModels } from '#apps/composition/adapters/base-models.binding.js';
import { AdapterFiles } from '#areas/adapters/adapter-files.js';
import { AdapterVault } from '#areas/adapters/adapter-vault.js';
import { ShippedAdapters } from '#areas/adapters/shipped-adapters.js';
import { createLanguageModelEngine } from '#engines/language-model/language-model.engine.js';

/** Seen from the compiled file. */
const MODELS = path.resolve(import.meta.dirname, '../../../models');
const NANO = path.join(MODELS, 'nano.gguf');
const PASSES = ['from its file', 'from memory'] as const;
const PERCENTILES = [50, 95, 100] as const;
const never = new AbortController().signal;

const folder = await mkdtemp(path.join(tmpdir(), 'quipu-swaps-'));
const rigs = [{ name: 'here', kind: 'embedded' }] as const;
const model = { rigs: ['here'], file: NANO };
const base = await new EmbeddedBaseModels({ model: () => model, rigs: () => rigs }).find('nano');
const shipped = new ShippedAdapters({ shippedFolders: [path.join(MODELS, 'adapters')] });
const manifest = await shipped.manifest();
if (!manifest) throw new Error('there are no shipped adapters');
const vault = new AdapterVault(shipped, {
  find: () => Promise.resolve(undefined),
  weights: () => Promise.reject(new Error('no account has adapters here')),
});
const written = new AdapterFiles({ engineFolder: folder });
const engine = createLanguageModelEngine({ adaptersMax: manifest.adapters.length });

const swapOf = async (file: string | null): Promise<number> => {
  const pieces = engine.stream(
    {
      modelFile: NANO,
      messages: [{ role: 'user', content: 'What is a hold?' }],
      maxTokens: 1,
      temperature: 0,
      ...(file !== null && { adapter: { file, scale: 1 } }),
    },
    never,
  );
  let next = await pieces.next();
  while (!next.done) next = await pieces.next();
  return next.value.adapterSwapMs ?? 0;
};

try {
  const files: string[] = [];
  for (const { slug } of manifest.adapters) {
    files.push(await written.fileOf(await vault.find('bench', slug), base));
  }
  // The model itself is loaded before anything is measured.
  await swapOf(null);
  for (const pass of PASSES) {
    const swaps: number[] = [];
    for (const file of files) swaps.push(await swapOf(file));
    swaps.sort((one, other) => one - other);
    const shown = PERCENTILES.map((percent) => {
      const at = Math.min(swaps.length - 1, Math.floor((swaps.length * percent) / 100));
      return `p${percent} ${(swaps[at] ?? NaN).toFixed(2)} ms`;
    });
    process.stdout.write(`${swaps.length} adapters, each ${pass}: ${shown.join(', ')}\n`);
  }
} finally {
  await engine.close();
  await rm(folder, { recursive: true });
}
