/** Writes `models/adapters`: a file for each adapter, and the manifest of all. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AdapterManifest, type ShippedCard } from '#areas/adapters/shipped-card.js';
import { RECIPE } from './adapter.recipe.js';
import { SAMPLE_PROMPT, type TrainedAdapter } from './adapter.work.js';

/** As `catalog.yaml` has it. */
const BASE_MODEL = 'quipu/nano';
const MANIFEST = 'manifest.json';
const DIGITS = 4;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

const cardOf = ({ task, weights, figures, answer }: TrainedAdapter): ShippedCard => ({
  slug: task.slug,
  category: task.category,
  description: task.description,
  file: `${task.slug}.safetensors`,
  bytes: weights.length,
  sha256: createHash('sha256').update(weights).digest('hex'),
  heldOut: {
    loss: rounded(figures.heldOutLoss),
    baseLoss: rounded(figures.baseHeldOutLoss),
    frequencyLoss: rounded(figures.frequencyHeldOutLoss),
    tokens: figures.heldOutTokens,
  },
  sample: { prompt: SAMPLE_PROMPT, answer },
  trainingSeconds: rounded(figures.seconds),
});

/** The cards of a manifest for the same base; none where there is no manifest. */
const cardsIn = async (out: string, baseSha256: string): Promise<readonly ShippedCard[]> => {
  const text = await readFile(path.join(out, MANIFEST), 'utf8').catch(() => null);
  if (text === null) return [];
  const manifest = AdapterManifest.parse(JSON.parse(text));
  return manifest.baseSha256 === baseSha256 ? manifest.adapters : [];
};

/** Adapters that were not trained this time keep their cards. */
export const writeShipped = async (
  out: string,
  baseSha256: string,
  adapters: readonly TrainedAdapter[],
): Promise<void> => {
  const fresh = adapters.map(cardOf);
  const slugs = new Set(fresh.map(({ slug }) => slug));
  const kept = (await cardsIn(out, baseSha256)).filter(({ slug }) => !slugs.has(slug));
  const manifest: AdapterManifest = {
    baseModel: BASE_MODEL,
    baseSha256,
    rank: RECIPE.rank,
    alpha: RECIPE.alpha,
    targets: [...RECIPE.targets],
    adapters: [...kept, ...fresh].sort((one, other) => (one.slug < other.slug ? -1 : 1)),
  };
  for (const { task, weights } of adapters) {
    await writeFile(path.join(out, `${task.slug}.safetensors`), weights);
  }
  await writeFile(path.join(out, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
};
