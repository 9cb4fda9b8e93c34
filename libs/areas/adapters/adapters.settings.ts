import path from 'node:path';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface AdapterSettings {
  /** Folders that may hold shipped adapters and their manifest; absolute. The first one wins. */
  readonly shippedFolders: readonly string[];
  /** Where adapters are put for the engine; absolute. Workers look into it, too. */
  readonly engineFolder: string;
  /** The largest upload of weights. */
  readonly bytesMax: number;
  /** Uploaded adapters of an account. */
  readonly adaptersMax: number;
}

export const ADAPTER_SETTINGS = Symbol('AdapterSettings');

/** The models that ship with Quipu, seen from the compiled file. */
const SHIPPED = path.resolve(import.meta.dirname, '../../../../models/adapters');

export const adapterSettings = defineSettings({
  token: ADAPTER_SETTINGS,
  variables: {
    QUIPU_ADAPTER_BYTES_MAX: variable(
      wholeNumber(1, 1_024 ** 3).default(16 * 1_024 ** 2),
      'the largest adapter (LoRA) that an account may upload',
    ),
    QUIPU_ADAPTERS_MAX: variable(
      wholeNumber(1, 10_000).default(200),
      'how many uploaded adapters an account may have',
    ),
  },
  read: (values, { home }): AdapterSettings => {
    const ofHome = path.join(home, 'models', 'adapters');
    return {
      shippedFolders: [SHIPPED, ofHome],
      engineFolder: ofHome,
      bytesMax: values.QUIPU_ADAPTER_BYTES_MAX,
      adaptersMax: values.QUIPU_ADAPTERS_MAX,
    };
  },
});
