import { type LISTS } from './token-prices.lists.js';

/**
 * Usage as providers sent it, their price lists, and the exact charge in micro-dollars. An
 * independent program computed each charge with decimals of 40 digits. Cases named after an issue
 * have its numbers.
 */
interface Case {
  readonly name: string;
  readonly list: keyof typeof LISTS;
  readonly microUsd: string;
  /** When the request began; another instant has another price. */
  readonly at?: string;
}

/** A usage object, of the dialect of OpenAI's chat completions unless it says otherwise. */
export interface StatedCase extends Case {
  readonly usage: object;
  readonly dialect?: 'openai' | 'gemini' | 'converse';
  readonly asked?: string;
  readonly answered?: string;
}

/** The classes of a usage object of another dialect. */
export interface UnitsCase extends Case {
  readonly units: Readonly<Record<string, number>>;
  readonly service?: string;
  readonly residency?: string;
}

const usage = (prompt: number, completion: number, inputs?: object, outputs?: object) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(inputs && { prompt_tokens_details: inputs }),
  ...(outputs && { completion_tokens_details: outputs }),
});

const gemini = (prompt: number, candidates: number, more: object = {}) => ({
  dialect: 'gemini' as const,
  usage: { promptTokenCount: prompt, candidatesTokenCount: candidates, ...more },
});

const modalities = (text: number, audio: number) => [
  { modality: 'TEXT', tokenCount: text },
  { modality: 'AUDIO', tokenCount: audio },
];

const converse = (input: number, output: number, total: number, more: object = {}) => ({
  dialect: 'converse' as const,
  usage: { inputTokens: input, outputTokens: output, totalTokens: total, ...more },
});

const units = (input: number, read: number, output: number, more: object = {}) => ({
  input_tokens: input,
  cache_read_tokens: read,
  output_tokens: output,
  ...more,
});

export const CASES: readonly (StatedCase | UnitsCase)[] = [
  {
    name: 'OpenAI: cached, written and reasoning tokens',
    list: 'gpt-6.1-sol',
    usage: usage(
      12_000,
      900,
      { cached_tokens: 8_000, cache_write_tokens: 2_000 },
      { reasoning_tokens: 600 },
    ),
    microUsd: '18800',
  },
  {
    name: 'OpenAI: an old model without a class of writes',
    list: 'gpt-4.1',
    usage: usage(2_006, 300, { cached_tokens: 1_920 }),
    microUsd: '3532',
  },
  {
    name: 'OpenAI: a long prompt has the long price for all of it',
    list: 'gpt-6.1-sol',
    usage: usage(280_000, 2_000, { cached_tokens: 250_000, cache_write_tokens: 10_000 }),
    microUsd: '210000',
  },
  {
    name: 'OpenAI: one token over the edge',
    list: 'gpt-6.1-sol',
    usage: usage(272_001, 100),
    microUsd: '1089504',
  },
  {
    name: 'OpenAI: exactly at the edge',
    list: 'gpt-6.1-sol',
    usage: usage(272_000, 100),
    microUsd: '545000',
  },
  {
    name: 'OpenAI: priority asked, the standard tier answered',
    list: 'gpt-5.6-sol',
    usage: usage(3_000, 500),
    asked: 'priority',
    microUsd: '22000',
  },
  {
    name: 'OpenAI: priority served',
    list: 'gpt-5.6-sol',
    usage: usage(3_000, 500),
    asked: 'priority',
    answered: 'priority',
    microUsd: '44000',
  },
  {
    name: 'OpenAI: priority answered that was not asked for costs the standard price',
    list: 'gpt-5.6-sol',
    usage: usage(3_000, 500),
    answered: 'priority',
    microUsd: '22000',
  },
  {
    name: 'OpenAI: audio in and out',
    list: 'gpt-audio-1.5',
    usage: usage(150, 220, { audio_tokens: 100 }, { audio_tokens: 180 }),
    microUsd: '15245',
  },
  {
    name: 'OpenAI: embeddings',
    list: 'text-embedding-3-small',
    usage: usage(8_000, 0),
    microUsd: '160',
  },
  {
    name: 'OpenAI: a picture made of a picture',
    list: 'gpt-image-2',
    units: { input_tokens: 50, image_input_tokens: 1_000, image_output_tokens: 4_160 },
    microUsd: '133050',
  },
  {
    name: 'Bifrost 904: the sums of a session',
    list: 'gpt-5.1',
    usage: usage(51_232 + 1_188_096, 12_909, { cached_tokens: 1_188_096 }),
    microUsd: '341642',
  },
  {
    name: 'LiteLLM 9812: a write is no fresh input',
    list: 'claude-3-7-sonnet',
    units: units(3, 0, 550, { cache_write_5m_tokens: 12_304 }),
    microUsd: '54399',
  },
  {
    name: 'Anthropic: writes of two lives, and thinking',
    list: 'claude-opus-5-5',
    units: units(2_095, 20_000, 203, {
      cache_write_5m_tokens: 1_000,
      cache_write_1h_tokens: 500,
      reasoning_tokens: 300,
    }),
    microUsd: '31440',
  },
  {
    name: 'LiteLLM 11789: a stream',
    list: 'claude-3-5-haiku',
    units: units(4, 2_455, 23),
    microUsd: '291.6',
  },
  {
    name: 'Anthropic: cached input counts for the edge',
    list: 'claude-haiku-5-5',
    units: units(501, 99_500, 1_000),
    microUsd: '7725.5',
  },
  {
    name: 'Anthropic: fast, with its own prices of the cache',
    list: 'claude-opus-5-5',
    units: units(1_000, 30_000, 1_000, { cache_write_5m_tokens: 2_000 }),
    service: 'fast',
    microUsd: '80000',
  },
  {
    name: 'new-api 5003: input beside a larger cache read is not negative',
    list: 'reseller',
    units: units(56_322, 72_960, 87),
    microUsd: '64053',
  },
  {
    name: 'codeburn 276: a write for an hour',
    list: 'claude-opus-4-7',
    units: { cache_write_1h_tokens: 60_120 },
    microUsd: '601200',
  },
  {
    name: 'LiteLLM 14849: above the edge, at the prices of 2025',
    list: 'gemini-2.5-pro of 2025',
    ...gemini(262_960, 1_744, { cachedContentTokenCount: 257_955, totalTokenCount: 264_704 }),
    microUsd: '199894.375',
  },
  {
    name: 'LiteLLM 14849: at the prices of 2026',
    list: 'gemini-2.5-pro',
    ...gemini(262_960, 1_744, { cachedContentTokenCount: 257_955, totalTokenCount: 264_704 }),
    microUsd: '103161.25',
  },
  {
    name: 'LibreChat 12855: thoughts beside candidates',
    list: 'gemini-3.1-pro',
    ...gemini(11_125, 20, {
      cachedContentTokenCount: 7_441,
      thoughtsTokenCount: 409,
      totalTokenCount: 11_554,
    }),
    microUsd: '14004.2',
  },
  {
    name: 'Google: an example of its documentation',
    list: 'gemini-3.1-pro',
    ...gemini(3, 900, { thoughtsTokenCount: 1_054, totalTokenCount: 1_957 }),
    microUsd: '23454',
  },
  {
    name: 'Gemini: text and audio, both partly cached',
    list: 'gemini-2.5-flash-lite',
    ...gemini(5_000, 300, {
      promptTokensDetails: modalities(1_000, 4_000),
      cachedContentTokenCount: 2_000,
      cacheTokensDetails: modalities(500, 1_500),
    }),
    microUsd: '970',
  },
  {
    name: 'Gemini: exactly at the edge',
    list: 'gemini-3.1-pro',
    ...gemini(200_000, 1_000),
    microUsd: '412000',
  },
  {
    name: 'Gemini: over the edge',
    list: 'gemini-3.1-pro',
    ...gemini(200_001, 1_000),
    microUsd: '818004',
  },
  {
    name: 'Gemini: priority that was served as standard',
    list: 'gemini-3.8-flash',
    ...gemini(4_000, 500),
    asked: 'priority',
    microUsd: '4875',
  },
  {
    name: 'Bedrock Converse: writes of two lives',
    list: 'claude-opus-5-5',
    ...converse(10, 200, 5_210, {
      cacheWriteInputTokens: 5_000,
      cacheDetails: [
        { ttl: '1h', inputTokens: 2_000 },
        { ttl: '5m', inputTokens: 3_000 },
      ],
    }),
    microUsd: '35040',
  },
  {
    name: 'Bedrock: Nova',
    list: 'nova-pro',
    ...converse(120, 300, 8_420, { cacheReadInputTokens: 8_000 }),
    microUsd: '2656',
  },
  {
    name: 'Bedrock: flex by its factor',
    list: 'gpt-oss-120b',
    ...converse(2_000, 500, 2_500),
    asked: 'flex',
    answered: 'flex',
    microUsd: '300',
  },
  {
    name: 'Bedrock: priority by its factor',
    list: 'gpt-oss-120b',
    ...converse(2_000, 500, 2_500),
    asked: 'priority',
    answered: 'priority',
    microUsd: '1050',
  },
  {
    name: 'Bedrock: no fields of the cache',
    list: 'claude-sonnet-5',
    ...converse(1_000, 100, 1_100),
    microUsd: '3000',
  },
  {
    name: 'LiteLLM 37407: images of xAI overlap the cached tokens',
    list: 'grok-4.6',
    usage: usage(2_461, 303, { text_tokens: 1_319, image_tokens: 1_142, cached_tokens: 2_432 }),
    microUsd: '3092',
  },
  {
    name: 'xAI: equal to the cost that it states in ticks',
    list: 'grok-4.6',
    usage: usage(2_461, 606, { cached_tokens: 2_432 }),
    microUsd: '4910',
  },
  {
    name: 'DeepSeek: hits and misses',
    list: 'deepseek-flash',
    usage: {
      ...usage(10_000, 800),
      prompt_cache_hit_tokens: 9_000,
      prompt_cache_miss_tokens: 1_000,
    },
    at: '2026-11-25T06:00:00.000Z',
    microUsd: '1314',
  },
  {
    name: 'DeepSeek: off peak',
    list: 'deepseek-flash',
    usage: { ...usage(10_000, 800), prompt_cache_hit_tokens: 9_000 },
    at: '2026-11-28T06:00:00.000Z',
    microUsd: '657',
  },
  {
    name: 'Gemini: the day before its price rises',
    list: 'gemini-3.8-flash',
    units: units(4_000, 0, 500),
    at: '2026-12-31T23:59:59.999Z',
    microUsd: '4875',
  },
  {
    name: 'Gemini: the day on which its price rises',
    list: 'gemini-3.8-flash',
    units: units(4_000, 0, 500),
    at: '2027-01-01T00:00:00.000Z',
    microUsd: '9750',
  },
  {
    name: 'Anthropic: work in the United States',
    list: 'claude-fable-5-1',
    units: units(1_000, 100_000, 2_000),
    residency: 'us',
    microUsd: '148500',
  },
  {
    name: 'Anthropic: a search of the web',
    list: 'claude-sonnet-5-5',
    units: units(105, 7_123, 6_039, { cache_write_5m_tokens: 7_345, searches: 1 }),
    microUsd: '89674.8',
  },
  {
    name: 'OpenAI: three searches of the web',
    list: 'gpt-6.1-sol',
    units: units(9_000, 0, 900, { reasoning_tokens: 300, searches: 3 }),
    microUsd: '60000',
  },
  {
    name: 'vLLM: details that are null were not measured',
    list: 'self-hosted',
    usage: { ...usage(4_096, 100), prompt_tokens_details: null },
    microUsd: '879.2',
  },
  {
    name: 'new-api 6892: cached tokens at settlement',
    list: 'another reseller',
    usage: usage(100, 10, { cached_tokens: 40 }),
    microUsd: '90',
  },
];
