import path from 'node:path';
import { defineSettings } from '#platform/runtime/areas/settings.js';

export interface TrainingSettings {
  /** Of the texts that ship. */
  readonly corporaFolder: string;
  /** For the files of running trainings. */
  readonly workFolder: string;
  /** For copies of the models of accounts, which the engine reads. */
  readonly ownModelsFolder: string;
  /** For a log on another machine: how often it is asked for new models, in milliseconds. */
  readonly ownModelsPollMs?: number;
}

export const TRAINING_SETTINGS = Symbol('TrainingSettings');

/** Seen from the compiled file. */
const CORPORA = path.resolve(import.meta.dirname, '../../../../models/corpora');

const REMOTE_POLL_MS = 250;

export const trainingSettings = defineSettings({
  token: TRAINING_SETTINGS,
  variables: {},
  read: (_, { home, isLogRemote }): TrainingSettings => ({
    corporaFolder: CORPORA,
    workFolder: path.join(home, 'training'),
    ownModelsFolder: path.join(home, 'own-models'),
    ...(isLogRemote && { ownModelsPollMs: REMOTE_POLL_MS }),
  }),
});
