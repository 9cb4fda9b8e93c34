/** Writes down what was trained: reference logits, the manifest and the model card. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LlamaShape, NamedTensor } from '#engines/training/model/llama.model.js';
import type { Reference, Sample } from '../manifest.js';
import { promptIds, REFERENCE_QUESTIONS } from '../report.js';
import { familyCard } from './family.card.js';
import type { Evaluation } from './family.evaluation.js';
import type { FamilyManifest, FileReference, HeldOutScore } from './family.manifest.js';
import type { Workshop } from './family.plan.js';
import { FAMILY_SAMPLE_QUESTIONS, FAMILY_WARM_QUESTIONS } from './family.questions.js';
import type { FamilyRecipe } from './family.recipe.js';

export interface TrainedModel {
  readonly recipe: FamilyRecipe;
  readonly shape: LlamaShape;
  /** The bytes of the GGUF file. */
  readonly weights: Buffer;
  readonly tensors: readonly NamedTensor[];
  readonly evaluation: Evaluation;
  readonly seconds: number;
  readonly scoreOfNano: HeldOutScore;
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const fileReference = async (folder: string, file: string): Promise<FileReference> => ({
  file,
  sha256: sha256Of(await readFile(path.join(folder, file))),
});

const referenceOf = (
  { weights, evaluation }: TrainedModel,
  { tokenizer }: Workshop,
): Reference => ({
  sha256: sha256Of(weights),
  prompts: REFERENCE_QUESTIONS.map((text, index) => ({
    text,
    ids: promptIds(text, tokenizer),
    logits: (evaluation.logits[index] ?? []).map((logit) => Number(logit.toFixed(6))),
    greedy: evaluation.answers[index] ?? [],
  })),
});

const samplesOf = (
  questions: readonly string[],
  answers: readonly (readonly number[])[],
  { tokenizer }: Workshop,
): Sample[] =>
  questions.map((question, index) => ({
    question,
    answer: tokenizer.decode(answers[index] ?? []),
  }));

const scoreIn = ({ heldOut }: Evaluation, name: string): HeldOutScore => {
  const score = heldOut[name];
  if (score === undefined) throw new RangeError(`the evaluation has no score of ${name}`);
  return score;
};

const recordOf = (
  { recipe, evaluation, seconds }: TrainedModel,
  seed: number,
): FamilyManifest['training'] => {
  const own = scoreIn(evaluation, 'own');
  const total = (of: (stage: FamilyRecipe['stages'][number]) => number): number =>
    recipe.stages.reduce((sum, stage) => sum + of(stage), 0);
  return {
    seed,
    steps: total(({ steps }) => steps),
    tokensSeen: total(({ steps, rows, positions }) => steps * rows * positions),
    seconds: Math.round(seconds),
    heldOutPerplexity: own.perplexity,
    heldOutTokens: own.tokens,
  };
};

const targetOf = async (
  folder: string,
  { recipe, evaluation }: TrainedModel,
): Promise<FamilyManifest['target']> =>
  recipe.distillation && evaluation.acceptance
    ? {
        ...(await fileReference(folder, `${recipe.distillation.teacher}.gguf`)),
        acceptance: evaluation.acceptance,
      }
    : null;

const manifestOf = async (
  folder: string,
  trained: TrainedModel,
  workshop: Workshop,
): Promise<FamilyManifest> => {
  const { recipe, shape, weights, tensors, evaluation, scoreOfNano } = trained;
  const { slug, name, stages, distillation } = recipe;
  const answers = evaluation.answers.slice(REFERENCE_QUESTIONS.length);
  const [cold, warm] = [FAMILY_SAMPLE_QUESTIONS, FAMILY_WARM_QUESTIONS];
  return {
    name,
    file: `${slug}.gguf`,
    sha256: sha256Of(weights),
    bytes: weights.length,
    architecture: 'llama',
    parameters: tensors.reduce((total, { values }) => total + values.length, 0),
    shape,
    tokenizerOf: 'nano.gguf',
    trainedPositions: Math.max(...stages.map(({ positions }) => positions)),
    training: recordOf(trained, workshop.seed),
    heldOutSample: scoreIn(evaluation, 'sample'),
    sharedHeldOut: { nano: scoreOfNano, [slug]: scoreIn(evaluation, 'shared') },
    distillation,
    draft: null,
    target: await targetOf(folder, trained),
    reference: `${slug}.reference.json`,
    samples: samplesOf(cold, answers.slice(0, cold.length), workshop),
    warmSamples: samplesOf(warm, answers.slice(cold.length), workshop),
  };
};

const writeManifest = async (folder: string, manifest: FamilyManifest): Promise<void> => {
  const slug = path.parse(manifest.file).name;
  await writeFile(path.join(folder, `${slug}.json`), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(path.join(folder, `${slug}.md`), familyCard(manifest));
};

/** Writes the reference, the manifest and the card of a model into `folder`. */
export const writeReport = async (
  folder: string,
  trained: TrainedModel,
  workshop: Workshop,
): Promise<void> => {
  const manifest = await manifestOf(folder, trained, workshop);
  const reference = `${JSON.stringify(referenceOf(trained, workshop))}\n`;
  await writeFile(path.join(folder, manifest.reference), reference);
  await writeManifest(folder, manifest);
};

/** Has the manifest of a target name its draft. */
export const linkDraft = async (
  folder: string,
  { target, draft }: { readonly target: string; readonly draft: string },
): Promise<void> => {
  const file = path.join(folder, `${target}.json`);
  const manifest = JSON.parse(await readFile(file, 'utf8')) as FamilyManifest;
  const linked = { ...manifest, draft: await fileReference(folder, `${draft}.gguf`) };
  await writeManifest(folder, linked);
};
