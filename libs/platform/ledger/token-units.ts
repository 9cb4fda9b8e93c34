import { type ModelMeter } from '#events/token-meters.js';

/** The meters of work that language models do, with their units in words. */
export const TOKEN_UNITS_IN_WORDS: Readonly<Record<ModelMeter, string>> = {
  input_tokens: 'fresh tokens of the prompt',
  output_tokens: 'tokens of the answer',
  cache_read_tokens: "tokens of the prompt that the provider's cache held",
  cache_write_5m_tokens: 'tokens of the prompt that the provider caches for 5 minutes',
  cache_write_30m_tokens: 'tokens of the prompt that the provider caches for 30 minutes',
  cache_write_1h_tokens: 'tokens of the prompt that the provider caches for an hour',
  audio_input_tokens: 'tokens of audio in the prompt',
  cache_read_audio_tokens: "tokens of audio that the provider's cache held",
  image_input_tokens: 'tokens of images in the prompt',
  reasoning_tokens: 'tokens of reasoning',
  audio_output_tokens: 'tokens of audio in the answer',
  image_output_tokens: 'tokens of images in the answer',
  searches: 'searches of the web, and of rankings',
};
