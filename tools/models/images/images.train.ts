/**
 * Trains the image model and its classifier, and writes `models/images/quipu-scenes`.
 *
 *   npm run models:train -- images [--python PROGRAM] [--steps N] [--out FOLDER] [--cache FOLDER]
 *   npm run models:train -- images --card        # measure the stored weights again
 *
 * The program is a Python with the packages of `requirements.txt`. A run continues from the
 * checkpoint in the cache; a larger number of steps makes it longer.
 */
import { hash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ImageModelCard } from '#engines/image-diffusion/model-card.js';
import { Denoiser, SIDE } from '#engines/image-diffusion/network/denoiser.js';
import { ATTRIBUTES } from '#engines/image-diffusion/scene.js';
import { readSafetensors } from '#platform/safetensors/safetensors.js';
import { runPython } from '../python.js';
import { SceneClassifier } from './classifier.js';
import { cardText } from './image-card.js';
import { heldOutScenes, recognise, SAMPLING } from './recognition.js';

export interface ImageTrainingOptions {
  readonly python: string;
  readonly steps: number;
  readonly out: string;
  readonly cache: string;
  /** Only measures the weights that are in the cache. */
  readonly cardAlone: boolean;
}

const NAME = 'quipu-scenes';
const PICTURES = 128;
/** Relative to the repository: the build copies no Python. */
const FOLDER = 'tools/models/images';

/** @throws Error when a program fails */
export const trainImages = async (options: ImageTrainingOptions): Promise<void> => {
  const { python, steps, out, cache, cardAlone } = options;
  await mkdir(cache, { recursive: true });
  if (!cardAlone) {
    await runPython(python, `${FOLDER}/train_images.py`, [cache, '--steps', String(steps)]);
    await runPython(python, `${FOLDER}/train_classifier.py`, [cache]);
  }
  const folder = path.join(out, NAME);
  await mkdir(folder, { recursive: true });
  for (const file of ['model.safetensors', 'classifier.safetensors']) {
    await copyFile(path.join(cache, file), path.join(folder, file));
  }
  const card = await cardOf(cache);
  await writeFile(path.join(folder, 'card.json'), `${JSON.stringify(card, null, 2)}\n`);
  await writeFile(path.join(folder, 'card.md'), cardText(card));
};

const cardOf = async (cache: string): Promise<ImageModelCard> => {
  const weights = await readFile(path.join(cache, 'model.safetensors'));
  const figures = await jsonOf(path.join(cache, 'figures.json'));
  const { heldOutAccuracy } = await jsonOf(path.join(cache, 'classifier.json'));
  const classifier = new SceneClassifier(
    await readFile(path.join(cache, 'classifier.safetensors')),
  );
  const denoiser = new Denoiser(readSafetensors(weights, ['F16']));
  const scenes = heldOutScenes(PICTURES);
  return {
    name: NAME,
    kind: 'diffusion',
    side: SIDE,
    attributes: Object.fromEntries(
      Object.entries(ATTRIBUTES).map(([name, values]) => [name, [...values]]),
    ),
    ...(figures as Pick<
      ImageModelCard,
      | ('parameters' | 'seed' | 'steps' | 'rows' | 'torch')
      | ('trainingSeconds' | 'trainingLoss' | 'heldOutLoss')
    >),
    weightsBytes: weights.length,
    weightsSha256: hash('sha256', weights),
    recognised: {
      pictures: PICTURES,
      ...SAMPLING,
      ...recognise(denoiser, classifier, scenes),
      generator: heldOutAccuracy as Record<string, number>,
    },
  };
};

const jsonOf = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>;
