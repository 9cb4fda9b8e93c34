import path from 'node:path';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface SpikingSettings {
  /** Folders that may hold `spiking/<name>/card.json`, as engines get them; absolute. */
  readonly modelFolders: readonly string[];
  /** Grams of carbon dioxide equivalent per kilowatt-hour of electricity. */
  readonly gridGramsPerKwh: number;
  /** The longest a run may take. */
  readonly runMsMax: number;
}

export const SPIKING_SETTINGS = Symbol('SpikingSettings');

/** The models that ship with Quipu, seen from the compiled file. */
const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../../../models');
/** The mean of the world's electricity in 2023 (Ember, Global Electricity Review 2024). */
const WORLD_GRAMS_PER_KWH = 480;

export const spikingSettings = defineSettings({
  token: SPIKING_SETTINGS,
  variables: {
    QUIPU_SNN_GRID_GRAMS_PER_KWH: variable(
      wholeNumber(0, 10_000).default(WORLD_GRAMS_PER_KWH),
      'grams of CO2 equivalent per kilowatt-hour, for the modelled carbon of spiking runs',
    ),
    QUIPU_SNN_RUN_SECONDS: variable(
      wholeNumber(1, 600).default(60),
      'the longest that one run of a spiking network may take',
    ),
  },
  read: (values, { home }): SpikingSettings => ({
    modelFolders: [SHIPPED_MODELS, path.join(home, 'models')],
    gridGramsPerKwh: values.QUIPU_SNN_GRID_GRAMS_PER_KWH,
    runMsMax: values.QUIPU_SNN_RUN_SECONDS * 1_000,
  }),
});
