import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const IMAGES_SETTINGS = Symbol('ImagesSettings');

export interface ImagesSettings {
  /** Lists the servers of other models; null: there are none. */
  readonly upstreamsFile: string | null;
  /** The longest a request may run. */
  readonly requestMsMax: number;
  /** How long the file behind a `url` stays. */
  readonly fileSecondsMax: number;
}

export const imagesSettings = defineSettings({
  token: IMAGES_SETTINGS,
  variables: {
    QUIPU_IMAGE_UPSTREAMS: variable(
      z.string().min(1).optional(),
      'a JSON file that lists servers of other image models',
    ),
    QUIPU_IMAGE_SECONDS: variable(
      wholeNumber(1, 3_600).default(120),
      'the longest a request for pictures may run',
    ),
    QUIPU_IMAGE_FILE_SECONDS: variable(
      wholeNumber(60, 2_592_000).default(86_400),
      'how long the file behind the `url` of a picture stays',
    ),
  },
  read: (values): ImagesSettings => ({
    upstreamsFile: values.QUIPU_IMAGE_UPSTREAMS ?? null,
    requestMsMax: values.QUIPU_IMAGE_SECONDS * 1_000,
    fileSecondsMax: values.QUIPU_IMAGE_FILE_SECONDS,
  }),
});
