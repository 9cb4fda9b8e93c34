import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const VISION_SETTINGS = Symbol('VisionSettings');

export interface VisionSettings {
  /** The longest a request may run. */
  readonly requestMsMax: number;
  /** How long a stream keeps its tracks after its last frame. */
  readonly streamIdleMs: number;
}

export const visionSettings = defineSettings({
  token: VISION_SETTINGS,
  variables: {
    QUIPU_VISION_SECONDS: variable(
      wholeNumber(1, 600).default(30),
      'the longest a request for a look at a frame may run',
    ),
    QUIPU_VISION_STREAM_SECONDS: variable(
      wholeNumber(1, 3_600).default(60),
      'how long a stream of frames keeps its tracks after its last frame',
    ),
  },
  read: (values): VisionSettings => ({
    requestMsMax: values.QUIPU_VISION_SECONDS * 1_000,
    streamIdleMs: values.QUIPU_VISION_STREAM_SECONDS * 1_000,
  }),
});
