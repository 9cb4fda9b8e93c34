import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

/** Of one account. */
export interface ObservationSettings {
  readonly imagesMax: number;
  readonly bytesMax: number;
}

export const OBSERVATION_SETTINGS = Symbol('ObservationSettings');

const BYTES_PER_MB = 1_000_000;

export const observationSettings = defineSettings({
  token: OBSERVATION_SETTINGS,
  variables: {
    QUIPU_OBSERVATION_IMAGES: variable(
      wholeNumber(1, 10_000).default(1_000),
      'the images of the Earth that one account may have',
    ),
    QUIPU_OBSERVATION_MB: variable(
      wholeNumber(1, 10_000_000).default(2_000),
      'the megabytes of the images of one account',
    ),
  },
  read: ({ QUIPU_OBSERVATION_IMAGES, QUIPU_OBSERVATION_MB }): ObservationSettings => ({
    imagesMax: QUIPU_OBSERVATION_IMAGES,
    bytesMax: QUIPU_OBSERVATION_MB * BYTES_PER_MB,
  }),
});
