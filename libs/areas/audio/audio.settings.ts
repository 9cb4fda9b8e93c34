import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

const MIB = 1_048_576;

export interface AudioSettings {
  /** Lists the servers that transcribe and speak; null: there are none. */
  readonly upstreamsFile: string | null;
  /** The longest a request may run. */
  readonly requestMsMax: number;
  /** Of an uploaded recording. */
  readonly fileBytesMax: number;
  /** Of a recording that is transcribed as a job. */
  readonly jobSecondsMax: number;
}

export const AUDIO_SETTINGS = Symbol('AudioSettings');

export const audioSettings = defineSettings({
  token: AUDIO_SETTINGS,
  variables: {
    QUIPU_AUDIO_UPSTREAMS: variable(
      z.string().min(1).optional(),
      'a JSON file that lists servers which transcribe and speak',
    ),
    QUIPU_AUDIO_SECONDS: variable(
      wholeNumber(1, 3_600).default(300),
      'the longest that a transcription or a speech may take',
    ),
    QUIPU_AUDIO_MB: variable(
      wholeNumber(1, 512).default(25),
      'the largest recording that may be uploaded, in MiB',
    ),
    QUIPU_AUDIO_JOB_MINUTES: variable(
      wholeNumber(1, 240).default(60),
      'the longest recording that is transcribed as a job',
    ),
  },
  read: (values): AudioSettings => ({
    upstreamsFile: values.QUIPU_AUDIO_UPSTREAMS ?? null,
    requestMsMax: values.QUIPU_AUDIO_SECONDS * 1_000,
    fileBytesMax: values.QUIPU_AUDIO_MB * MIB,
    jobSecondsMax: values.QUIPU_AUDIO_JOB_MINUTES * 60,
  }),
});
