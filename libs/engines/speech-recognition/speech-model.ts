import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type NamedTensors, readSafetensors } from '#platform/safetensors/safetensors.js';
import { SpeechCard } from './speech-card.js';
import { SpeechEngineError } from './speech.errors.js';

/** The model that ships, below a folder of models. */
const FOLDER = path.join('speech', 'quipu-words');

export interface SpeechModel {
  readonly card: SpeechCard;
  readonly weights: NamedTensors;
}

const readFirst = async (
  folders: readonly string[],
): Promise<{ readonly card: Buffer; readonly weights: Buffer }> => {
  for (const root of folders) {
    const folder = path.join(root, FOLDER);
    try {
      const card = await readFile(path.join(folder, 'card.json'));
      return { card, weights: await readFile(path.join(folder, 'model.safetensors')) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new SpeechEngineError('model_missing', `no folder of models has ${FOLDER}`);
};

/**
 * Reads the recognizer from the first folder that has it.
 * @throws SpeechEngineError without one, or for weights that do not belong to their card
 */
export const loadSpeechModel = async (folders: readonly string[]): Promise<SpeechModel> => {
  const { card: json, weights } = await readFirst(folders);
  const card = SpeechCard.parse(JSON.parse(json.toString('utf8')));
  const sha256 = createHash('sha256').update(weights).digest('hex');
  if (sha256 !== card.weightsSha256) {
    const fault = `the weights have the SHA-256 ${sha256}, the card says ${card.weightsSha256}`;
    throw new SpeechEngineError('weights_invalid', fault);
  }
  return { card, weights: readSafetensors(weights) };
};
