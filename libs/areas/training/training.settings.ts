import path from 'node:path';
import { defineSettings } from '#platform/runtime/areas/settings.js';

export interface TrainingSettings {
  /** Where the files of accounts' models are written for the engine. */
  readonly ownModelsFolder: string;
  /** For a log on another machine: how often it is asked for new models, in milliseconds. */
  readonly ownModelsPollMs?: number;
}

export const TRAINING_SETTINGS = Symbol('TrainingSettings');

const REMOTE_POLL_MS = 250;

export const trainingSettings = defineSettings({
  token: TRAINING_SETTINGS,
  variables: {},
  read: (_, { home, isLogRemote }): TrainingSettings => ({
    ownModelsFolder: path.join(home, 'own-models'),
    ...(isLogRemote && { ownModelsPollMs: REMOTE_POLL_MS }),
  }),
});
