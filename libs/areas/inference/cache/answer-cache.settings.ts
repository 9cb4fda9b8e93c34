import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface AnswerCacheLimits {
  /** Of the kept answers of one account, and of all accounts. */
  readonly accountBytesMax: number;
  readonly bytesMax: number;
}

export const ANSWER_CACHE_LIMITS = Symbol('AnswerCacheLimits');

const MIB = 1_024 ** 2;

export const answerCacheSettings = defineSettings({
  token: ANSWER_CACHE_LIMITS,
  variables: {
    QUIPU_CACHE_ACCOUNT_MIB: variable(
      wholeNumber(0, 1_024).default(16),
      'the size of the kept answers of one account; 0 keeps none',
    ),
    QUIPU_CACHE_MIB: variable(
      wholeNumber(0, 65_536).default(256),
      'the size of the kept answers of all accounts',
    ),
  },
  read: (values): AnswerCacheLimits => ({
    accountBytesMax: values.QUIPU_CACHE_ACCOUNT_MIB * MIB,
    bytesMax: values.QUIPU_CACHE_MIB * MIB,
  }),
});
