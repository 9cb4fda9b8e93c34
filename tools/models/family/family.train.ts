/**
 * Trains mini and its draft and writes `models/mini*.gguf`, their references, manifests and cards.
 *
 * The generator and the tokenizer of nano make the token ids; `train.py` trains on them. A training
 * that was ended goes on from its last checkpoint in the cache.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readSafetensors, writeSafetensors } from '#platform/safetensors/safetensors.js';
import { bytePairTokenizer } from '../byte-pair.tokenizer.js';
import { MINI_CORPUS, SHARED_CORPUS } from '../corpus/corpora.js';
import { readGguf, writeGguf, type GgufModel } from '#engines/training/files/gguf.js';
import { tensorShapes, type NamedTensor } from '#engines/training/model/llama.model.js';
import { evaluate } from './family.evaluation.js';
import type { HeldOutScore } from './family.manifest.js';
import { resultFile, storedModel, writeHeldOut, writePlan, type Workshop } from './family.plan.js';
import { FAMILY, recipeOf, type FamilyRecipe } from './family.recipe.js';
import { linkDraft, writeReport } from './family.report.js';
import { runPython } from '../python.js';

/** The model whose tokenizer the family has, and with which it is compared. */
const FIRST = 'nano';

export interface FamilyOrder {
  /** One model of the family; null for all. */
  readonly slug: string | null;
  readonly python: string;
  readonly out: string;
  readonly cache: string;
  readonly seed: number;
}

/** @throws RangeError for a model that the family does not have */
export const familyOrder = (args: readonly string[], slug: string | null): FamilyOrder => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      python: { type: 'string', default: 'python3' },
      out: { type: 'string', default: 'models' },
      cache: { type: 'string', default: '.cache/models/family' },
      seed: { type: 'string', default: '1532' },
    },
  });
  if (slug !== null) recipeOf(slug);
  return { ...values, slug, seed: Number(values.seed) };
};

const trainedTensors = async (recipe: FamilyRecipe, workshop: Workshop): Promise<NamedTensor[]> => {
  const { shape, weights } = storedModel(recipe, workshop);
  const stored = readSafetensors(await readFile(path.join(workshop.cache, weights)));
  return tensorShapes(shape).map(([name, size]) => {
    const tensor = stored.get(name);
    if (tensor === undefined) throw new RangeError(`${weights} has no ${name}`);
    return { name, shape: size, values: tensor.values };
  });
};

/** Scores of the first model on what it shares with the family. */
const scoreOfFirst = async (first: GgufModel, workshop: Workshop): Promise<HeldOutScore> => {
  const weights = `${FIRST}.safetensors`;
  const named = new Map(first.tensors.map((tensor) => [tensor.name, tensor]));
  await writeFile(path.join(workshop.cache, weights), writeSafetensors(named));
  const shared = await writeHeldOut('shared', SHARED_CORPUS, workshop);
  const model = { shape: first.shape, weights };
  const order = { name: FIRST, model, heldOut: { shared }, isAsked: false, target: null };
  const { heldOut } = await evaluate(order, workshop);
  return heldOut['shared'] as HeldOutScore;
};

interface Training {
  readonly recipe: FamilyRecipe;
  readonly first: GgufModel;
  readonly out: string;
}

const train = async ({ recipe, first, out }: Training, workshop: Workshop): Promise<void> => {
  await runPython(workshop.python, 'tools/models/family/train.py', [
    await writePlan(recipe, workshop),
  ]);
  const { distillation, slug, name } = recipe;
  const { shape } = storedModel(recipe, workshop);
  const tensors = await trainedTensors(recipe, workshop);
  const weights = writeGguf({ name, shape, vocabulary: first.vocabulary, tensors });
  const target = distillation && recipeOf(distillation.teacher);
  const evaluation = await evaluate(
    {
      name: slug,
      model: storedModel(recipe, workshop),
      heldOut: {
        own: await writeHeldOut(slug, MINI_CORPUS, workshop),
        sample: await writeHeldOut(`${slug}.sample`, MINI_CORPUS, workshop, 1),
        shared: await writeHeldOut('shared', SHARED_CORPUS, workshop),
      },
      isAsked: true,
      target: target && storedModel(target, workshop),
    },
    workshop,
  );
  const result = await readFile(path.join(workshop.cache, resultFile(recipe)), 'utf8');
  const { seconds } = JSON.parse(result) as { readonly seconds: number };
  const scoreOfNano = await scoreOfFirst(first, workshop);
  await writeFile(path.join(out, `${slug}.gguf`), weights);
  const trained = { recipe, shape, weights, tensors, evaluation, seconds, scoreOfNano };
  await writeReport(out, trained, workshop);
  if (target !== null) await linkDraft(out, { target: target.slug, draft: slug });
};

export const trainFamily = async ({
  slug,
  python,
  out,
  cache,
  seed,
}: FamilyOrder): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const first = readGguf(await readFile(path.join(out, `${FIRST}.gguf`)));
  const tokenizer = bytePairTokenizer(first.vocabulary);
  const workshop = { cache, python, seed, tokenizer, vocabulary: first.shape.vocabulary };
  for (const recipe of FAMILY) {
    if (slug === null || slug === recipe.slug) await train({ recipe, first, out }, workshop);
  }
};
