import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readSafetensors } from '#platform/safetensors/safetensors.js';
import { ATTRIBUTES } from '../image-diffusion/scene.js';
import { Detector } from './network/detector.js';
import { PatchErrors } from './network/patch-errors.js';
import { VisionCard } from './vision-card.js';
import { VisionEngineError } from './vision.errors.js';

/** The folder of the model inside a folder of models. */
const FOLDER = 'vision/quipu-shapes';

export interface LoadedVision {
  readonly card: VisionCard;
  readonly detector: Detector;
  readonly patches: PatchErrors;
}

/** Absolute; undefined where no folder has the model. */
export const visionFolderIn = (modelFolders: readonly string[]): string | undefined =>
  modelFolders
    .map((folder) => path.join(folder, FOLDER))
    .find((folder) => existsSync(path.join(folder, 'card.json')));

/**
 * @param modelFolders the first one with the model counts
 * @throws VisionEngineError `model_damaged`
 */
export const loadVisionModel = (modelFolders: readonly string[]): LoadedVision => {
  try {
    const folder = visionFolderIn(modelFolders);
    if (folder === undefined) throw new Error(`no folder has ${FOLDER}/card.json`);
    const card = readVisionCard(folder);
    const weights = readFileSync(path.join(folder, 'model.safetensors'));
    if (hash('sha256', weights) !== card.weightsSha256) {
      throw new Error('the weights are not the weights of the card');
    }
    return { card, ...visionNetworks(weights) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new VisionEngineError('model_damaged', `the vision model: ${problem}`);
  }
};

/** @param weights safetensors; @throws Error for weights of other networks */
export const visionNetworks = (weights: Buffer): Omit<LoadedVision, 'card'> => {
  const tensors = readSafetensors(weights, ['F16']);
  return { detector: new Detector(tensors), patches: new PatchErrors(tensors) };
};

/** @throws Error for a card of other labels */
const readVisionCard = (folder: string): VisionCard => {
  const text = readFileSync(path.join(folder, 'card.json'), 'utf8');
  const card = VisionCard.parse(JSON.parse(text));
  const { shape, colour } = ATTRIBUTES;
  if (JSON.stringify([card.shapes, card.colours]) !== JSON.stringify([shape, colour])) {
    throw new Error('the card names other labels than the engine');
  }
  return card;
};
