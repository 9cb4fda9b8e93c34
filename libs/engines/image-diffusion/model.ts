import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readSafetensors } from '#platform/safetensors/safetensors.js';
import { ImageEngineError } from './image-diffusion.errors.js';
import { ImageModelCard } from './model-card.js';
import { Denoiser } from './network/denoiser.js';
import { ATTRIBUTES } from './scene.js';

/** The folder of the model inside a folder of models. */
const FOLDER = 'images/quipu-scenes';

export interface LoadedModel {
  readonly card: ImageModelCard;
  readonly denoiser: Denoiser;
}

/** Absolute; undefined where no folder has the model. */
export const modelFolderIn = (modelFolders: readonly string[]): string | undefined =>
  modelFolders
    .map((folder) => path.join(folder, FOLDER))
    .find((folder) => existsSync(path.join(folder, 'card.json')));

/**
 * @param modelFolders the first one with the model counts
 * @throws ImageEngineError `model_damaged`
 */
export const loadModel = (modelFolders: readonly string[]): LoadedModel => {
  try {
    const folder = modelFolderIn(modelFolders);
    if (folder === undefined) throw new Error(`no folder has ${FOLDER}/card.json`);
    const card = readCard(folder);
    const weights = readFileSync(path.join(folder, 'model.safetensors'));
    if (hash('sha256', weights) !== card.weightsSha256) {
      throw new Error('the weights are not the weights of the card');
    }
    return { card, denoiser: new Denoiser(readSafetensors(weights, ['F16'])) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ImageEngineError('model_damaged', `the image model: ${problem}`);
  }
};

/** @throws Error for a card of other attributes */
export const readCard = (folder: string): ImageModelCard => {
  const text = readFileSync(path.join(folder, 'card.json'), 'utf8');
  const card = ImageModelCard.parse(JSON.parse(text));
  if (JSON.stringify(card.attributes) !== JSON.stringify(ATTRIBUTES)) {
    throw new Error('the card names other attributes than the engine');
  }
  return card;
};
