import { defineSettings, variable, wholeNumber } from '#platform/runtime/settings.js';
import { REQUEST_LIMITS, type RequestLimits } from './ports.js';

/** How long a stream may be silent before a comment fills the silence, in milliseconds. */
export const KEEP_ALIVE_MS = Symbol('KeepAliveMs');

const Seconds = wholeNumber(1, 86_400);

export const requestLimitSettings = defineSettings({
  token: REQUEST_LIMITS,
  variables: {
    QUIPU_REQUEST_SECONDS: variable(
      Seconds.default(600),
      'the longest a chat request may run; its hold outlives it',
    ),
  },
  read: (values): RequestLimits => ({
    requestMsMax: values.QUIPU_REQUEST_SECONDS * 1_000,
  }),
});

export const keepAliveSettings = defineSettings({
  token: KEEP_ALIVE_MS,
  variables: {
    QUIPU_KEEP_ALIVE_SECONDS: variable(
      Seconds.default(15),
      'a stream that is silent for this long gets a comment',
    ),
  },
  read: ({ QUIPU_KEEP_ALIVE_SECONDS: seconds }): number => seconds * 1_000,
});

/** The part of a rig's slots that lines of batches may occupy, in percent. */
export const BATCH_RIG_PERCENT = Symbol('BatchRigPercent');

export const batchShareSettings = defineSettings({
  token: BATCH_RIG_PERCENT,
  variables: {
    QUIPU_BATCH_RIG_PERCENT: variable(
      wholeNumber(1, 100).default(75),
      'the part of the slots of each rig that batches may occupy, in percent; at least one slot',
    ),
  },
  read: ({ QUIPU_BATCH_RIG_PERCENT: percent }): number => percent,
});
