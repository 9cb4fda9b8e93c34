/**
 * Trains the detector, and writes `models/vision/quipu-shapes`.
 *
 *   npm run models:train -- vision [--python PROGRAM] [--steps N] [--out FOLDER] [--cache FOLDER]
 *   npm run models:train -- vision --card        # measure the weights in the cache again
 *
 * The program is a Python with the packages of `images/requirements.txt`. A run continues from the
 * checkpoint in the cache.
 */
import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ATTRIBUTES } from '#engines/image-diffusion/scene.js';
import { DETECTOR_SIDE } from '#engines/vision/network/detector.js';
import { PATCH } from '#engines/vision/network/patch-errors.js';
import { type VisionCard } from '#engines/vision/vision-card.js';
import { visionNetworks } from '#engines/vision/vision-model.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { runPython } from '../python.js';
import {
  calibrateAnomaly,
  type DrawnFrame,
  drawnFrames,
  scoreDetections,
} from './vision.evaluation.js';
import { cardText } from './vision-card.text.js';

export interface VisionTrainingOptions {
  readonly python: string;
  readonly steps: number;
  readonly out: string;
  readonly cache: string;
  /** Only measures the weights that are in the cache. */
  readonly cardAlone: boolean;
}

const NAME = 'quipu-shapes';
/** Held-out frames by which the shipped weights are checked, and anomalies of each kind. */
const [SAMPLES, ANOMALY_SAMPLES] = [24, 4];

/** @throws Error when a program fails */
export const trainVision = async (options: VisionTrainingOptions): Promise<void> => {
  const { python, steps, out, cache, cardAlone } = options;
  await mkdir(cache, { recursive: true });
  const program = 'tools/models/vision/train_vision.py';
  if (!cardAlone) await runPython(python, program, [cache, '--steps', String(steps)]);
  const bytes = await readFile(path.join(cache, 'held-out.bin'));
  const frames = drawnFrames(bytes, await readFile(path.join(cache, 'held-out.json'), 'utf8'));
  const weights = await readFile(path.join(cache, 'model.safetensors'));
  const figures = JSON.parse(await readFile(path.join(cache, 'figures.json'), 'utf8')) as Pick<
    VisionCard,
    'parameters' | 'seed' | 'steps' | 'rows' | 'torch' | 'trainingSeconds' | 'trainingLoss'
  >;
  const networks = visionNetworks(weights);
  const shapes = [...ATTRIBUTES.shape];
  const heldOut = frames.filter(({ part }) => part === 'heldOut');
  const card: VisionCard = {
    name: NAME,
    kind: 'detector',
    side: DETECTOR_SIDE,
    shapes,
    colours: [...ATTRIBUTES.colour],
    ...figures,
    weightsBytes: weights.length,
    weightsSha256: hash('sha256', weights),
    heldOut: scoreDetections(networks, heldOut, shapes),
    anomaly: {
      patch: PATCH,
      components: networks.patches.components,
      ...calibrateAnomaly(networks, frames),
    },
  };
  const folder = path.join(out, NAME);
  await mkdir(path.join(folder, 'samples'), { recursive: true });
  await writeFile(path.join(folder, 'model.safetensors'), weights);
  await writeFile(path.join(folder, 'card.json'), `${JSON.stringify(card, null, 2)}\n`);
  await writeFile(path.join(folder, 'card.md'), cardText(card));
  await writeSamples(path.join(folder, 'samples'), frames);
};

const writeSamples = async (folder: string, frames: readonly DrawnFrame[]): Promise<void> => {
  const kinds = [...new Set(frames.flatMap(({ kind }) => kind ?? []))];
  const heldOut = frames.filter(({ part, objects }) => part === 'heldOut' && objects.length > 0);
  const chosen = [
    ...heldOut.slice(0, SAMPLES),
    ...kinds.flatMap((of) => frames.filter(({ kind }) => kind === of).slice(0, ANOMALY_SAMPLES)),
  ];
  const listed = [];
  for (const [at, { pixels, ...frame }] of chosen.entries()) {
    const name = `${at}.png`;
    const picture = { width: DETECTOR_SIDE, height: DETECTOR_SIDE, pixels };
    await writeFile(path.join(folder, name), encodePng(picture));
    listed.push({ name, ...frame });
  }
  await writeFile(path.join(folder, 'samples.json'), `${JSON.stringify(listed, null, 2)}\n`);
};
