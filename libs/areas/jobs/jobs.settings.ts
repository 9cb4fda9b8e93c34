import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface JobSettings {
  /** How long a paused job waits for funds. */
  readonly fundsWaitMs: number;
  /** How long a running job may take to stop after it is cancelled. */
  readonly stopMsMax: number;
  /** A process that asks for no work for longer has lost its attempts. */
  readonly silenceMs: number;
}

export const JOB_SETTINGS = Symbol('JobSettings');

const SECONDS_MAX = 604_800;
const Seconds = wholeNumber(1, SECONDS_MAX);

export const jobSettings = defineSettings({
  token: JOB_SETTINGS,
  variables: {
    QUIPU_JOB_FUNDS_SECONDS: variable(
      Seconds.default(3_600),
      'how long a job waits for funds when its account cannot pay for the next period',
    ),
    QUIPU_JOB_STOP_SECONDS: variable(
      Seconds.default(30),
      'how long a running job may take to stop after it is cancelled',
    ),
    QUIPU_JOB_SILENCE_SECONDS: variable(
      wholeNumber(4, SECONDS_MAX).default(15),
      'a worker that is silent for longer has lost its jobs, which then continue elsewhere',
    ),
  },
  read: (values): JobSettings => ({
    fundsWaitMs: values.QUIPU_JOB_FUNDS_SECONDS * 1_000,
    stopMsMax: values.QUIPU_JOB_STOP_SECONDS * 1_000,
    silenceMs: values.QUIPU_JOB_SILENCE_SECONDS * 1_000,
  }),
});
