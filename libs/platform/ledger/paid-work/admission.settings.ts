import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const ADMISSION_SETTINGS = Symbol('AdmissionSettings');

export interface AdmissionSettings {
  /** How far the readers of the log may fall behind; 0 for any distance. */
  readonly lagMsMax: number;
}

export const admissionSettings = defineSettings({
  token: ADMISSION_SETTINGS,
  variables: {
    QUIPU_READ_LAG_SECONDS: variable(
      wholeNumber(0, 3_600).default(15),
      'how far read models may fall behind before paid requests are refused in part, with 503 ' +
        '`readers_behind` and `Retry-After`; 0: never',
    ),
  },
  read: ({ QUIPU_READ_LAG_SECONDS: seconds }): AdmissionSettings => ({
    lagMsMax: seconds * 1_000,
  }),
});
