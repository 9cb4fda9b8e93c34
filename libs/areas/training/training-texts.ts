import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { reject } from './training.decider.js';
import { TrainingFiles } from './training-files.port.js';
import { TEXT_BYTES_MAX, type TrainingText, trainingTextOf } from './training-text.js';
import { TRAINING_SETTINGS, type TrainingSettings } from './training.settings.js';

/** The texts that ship, by the name in `corpus:<name>`. */
export const CORPORA: readonly string[] = ['quipu'];
export const DEFAULT_TEXT = 'corpus:quipu';
const CORPUS = 'corpus:';

@Injectable()
export class TrainingTexts {
  constructor(
    private readonly files: TrainingFiles,
    @Inject(TRAINING_SETTINGS) private readonly settings: Pick<TrainingSettings, 'corporaFolder'>,
  ) {}

  /**
   * @param name `corpus:<name>`, or the id of a file of the account
   * @throws DomainError `training_text_unknown`, `training_text_invalid`
   */
  async find(name: string, accountId: string): Promise<TrainingText> {
    if (name.startsWith(CORPUS)) return this.#corpus(name);
    const found = await this.files.read(accountId, name, TEXT_BYTES_MAX);
    if (found === null) return reject('training_text_unknown', `there is no file ${name}`);
    if (found === 'too_large') {
      const detail = `the file ${name} has more than ${TEXT_BYTES_MAX} bytes`;
      return reject('training_text_invalid', detail);
    }
    return trainingTextOf(name, found.text);
  }

  async #corpus(name: string): Promise<TrainingText> {
    const corpus = name.slice(CORPUS.length);
    if (!CORPORA.includes(corpus)) {
      const known = CORPORA.map((one) => CORPUS + one).join(', ');
      return reject('training_text_unknown', `there is no ${name}; there is ${known}`);
    }
    const file = path.join(this.settings.corporaFolder, `${corpus}.jsonl`);
    return trainingTextOf(name, await readFile(file, 'utf8'));
  }
}
