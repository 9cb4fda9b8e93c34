import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface PostcardSettings {
  readonly wordsMax: number;
  readonly microUsdPerWord: number;
}

export const POSTCARD_SETTINGS = Symbol('PostcardSettings');

const Whole = wholeNumber(1, 1_000_000);

export const postcardSettings = defineSettings({
  token: POSTCARD_SETTINGS,
  variables: {
    POSTCARDS_WORDS_MAX: variable(Whole.default(20), 'the longest greeting'),
    POSTCARDS_MICRO_USD_PER_WORD: variable(Whole.default(100), 'the price of a word'),
  },
  read: (values): PostcardSettings => ({
    wordsMax: values.POSTCARDS_WORDS_MAX,
    microUsdPerWord: values.POSTCARDS_MICRO_USD_PER_WORD,
  }),
});
