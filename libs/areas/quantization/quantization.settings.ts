import path from 'node:path';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface QuantizationSettings {
  /** Of the texts that ship. */
  readonly corporaFolder: string;
  /** For the files of running quantizations. */
  readonly workFolder: string;
  /** How long a request waits for the end of its job. */
  readonly waitMsMax: number;
}

export const QUANTIZATION_SETTINGS = Symbol('QuantizationSettings');

/** Seen from the compiled file. */
const CORPORA = path.resolve(import.meta.dirname, '../../../../models/corpora');

export const quantizationSettings = defineSettings({
  token: QUANTIZATION_SETTINGS,
  variables: {
    QUIPU_QUANTIZE_WAIT_SECONDS: variable(
      wholeNumber(0, 600).default(30),
      'how long a request for a quantization waits for its end before it answers `queued`',
    ),
  },
  read: (values, { home }): QuantizationSettings => ({
    corporaFolder: CORPORA,
    workFolder: path.join(home, 'quantization'),
    waitMsMax: values.QUIPU_QUANTIZE_WAIT_SECONDS * 1_000,
  }),
});
