import { CHOICE_WEIGHTS, type ChoiceWeights } from './rigs/choice/rig-choice.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { REQUEST_LIMITS, type RequestLimits } from './ports.js';

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

/** The weights of price and cache in the choice of a rig. */
export const RIG_WEIGHTS = Symbol('RigWeights');

const PERCENT = 100;

export const rigWeightSettings = defineSettings({
  token: RIG_WEIGHTS,
  variables: {
    QUIPU_RIG_PRICE_PERCENT: variable(
      wholeNumber(0, 1_000).default(CHOICE_WEIGHTS.price * PERCENT),
      'how much the purchase price counts in the choice of a rig, in percent of a full rig; 0: not',
    ),
    QUIPU_RIG_CACHE_PERCENT: variable(
      wholeNumber(0, 1_000).default(CHOICE_WEIGHTS.cache * PERCENT),
      'how much the cached prompt of a session counts in the choice of a rig, in percent; 0: not',
    ),
  },
  read: (values): ChoiceWeights => ({
    price: values.QUIPU_RIG_PRICE_PERCENT / PERCENT,
    cache: values.QUIPU_RIG_CACHE_PERCENT / PERCENT,
  }),
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
