import { type KeptStreamTimes } from '#platform/kept-streams/kept-stream.times.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const STREAM_TIMES = Symbol('StreamTimes');

export const streamSettings = defineSettings({
  token: STREAM_TIMES,
  variables: {
    QUIPU_RESUME_GRACE_SECONDS: variable(
      wholeNumber(1, 3_600).default(60),
      'how long a resumable stream runs on without a reader',
    ),
    QUIPU_RESUME_KEPT_SECONDS: variable(
      wholeNumber(1, 86_400).default(600),
      'how long a resumable stream can be read again after its end',
    ),
  },
  read: (values): KeptStreamTimes => ({
    graceMs: values.QUIPU_RESUME_GRACE_SECONDS * 1_000,
    keptMs: values.QUIPU_RESUME_KEPT_SECONDS * 1_000,
  }),
});

/** How long a stream of the events of the log stays open, in milliseconds. */
export const EVENT_STREAM_MS = Symbol('EventStreamMs');

export const eventStreamSettings = defineSettings({
  token: EVENT_STREAM_MS,
  variables: {
    QUIPU_EVENT_STREAM_SECONDS: variable(
      wholeNumber(1, 3_600).default(900),
      'a stream of events ends after this time; a revoked credential reads no longer',
    ),
  },
  read: ({ QUIPU_EVENT_STREAM_SECONDS: seconds }): number => seconds * 1_000,
});

/** How long a stream may be silent before a comment fills the silence, in milliseconds. */
export const KEEP_ALIVE_MS = Symbol('KeepAliveMs');

export const keepAliveSettings = defineSettings({
  token: KEEP_ALIVE_MS,
  variables: {
    QUIPU_KEEP_ALIVE_SECONDS: variable(
      wholeNumber(1, 86_400).default(15),
      'a stream that is silent for this long gets a comment',
    ),
  },
  read: ({ QUIPU_KEEP_ALIVE_SECONDS: seconds }): number => seconds * 1_000,
});
