import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { messageUsage } from '#areas/inference/rigs/dialects/anthropic/anthropic-usage.js';
import { converseUsage } from '#areas/inference/rigs/dialects/bedrock/converse-usage.js';
import { geminiUsage } from '#areas/inference/rigs/dialects/gemini/gemini-usage.js';
import { statedUsage } from '#areas/inference/rigs/dialects/openai/openai-usage.js';
import { type Usage } from '#platform/chats/chat-usage.js';

type Counts = Readonly<Record<string, number | null>>;

interface Case {
  readonly name: string;
  readonly api: 'openai' | 'anthropic' | 'gemini' | 'converse' | 'converse-openai';
  readonly response: { readonly usage?: unknown; readonly usageMetadata?: unknown };
  /** By field: what Quipu reads, and what genai-prices does. */
  readonly differs?: Readonly<
    Record<string, readonly [ours: number | null, theirs: number | null]>
  >;
  /** Who is right by the provider's documentation. */
  readonly because?: string;
}

const READERS: Readonly<Record<Case['api'], (response: Case['response']) => Usage | null>> = {
  openai: ({ usage }) => statedUsage(usage),
  anthropic: ({ usage }) => messageUsage(usage, 'claude'),
  gemini: ({ usageMetadata }) => geminiUsage(usageMetadata),
  converse: ({ usage }) => converseUsage(usage, { model: 'claude', isStream: false }),
  'converse-openai': ({ usage }) =>
    converseUsage(usage, { model: 'openai.gpt-5.6-terra', isStream: true }),
};

const sumOf = (...counts: readonly (number | undefined)[]): number | null => {
  const stated = counts.filter((count) => count !== undefined);
  return stated.length === 0 ? null : stated.reduce((sum, count) => sum + count, 0);
};

/** In the terms of genai-prices, whose counts contain each other. */
const countsOf = ({ promptTokens, completionTokens, parts = {}, searches }: Usage): Counts => ({
  input_tokens: promptTokens,
  output_tokens: completionTokens,
  cache_read_tokens: sumOf(parts.cache_read_tokens, parts.cache_read_audio_tokens),
  cache_write_tokens: sumOf(
    parts.cache_write_5m_tokens,
    parts.cache_write_30m_tokens,
    parts.cache_write_1h_tokens,
  ),
  cache_write_5m_tokens: sumOf(parts.cache_write_5m_tokens),
  cache_write_1h_tokens: sumOf(parts.cache_write_1h_tokens),
  input_audio_tokens: sumOf(parts.audio_input_tokens, parts.cache_read_audio_tokens),
  cache_audio_read_tokens: sumOf(parts.cache_read_audio_tokens),
  output_reasoning_tokens: sumOf(parts.reasoning_tokens),
  output_audio_tokens: sumOf(parts.audio_output_tokens),
  output_image_tokens: sumOf(parts.image_output_tokens),
  web_searches: sumOf(searches),
});

const folder = path.join(import.meta.dirname, 'usage');
const readJson = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(folder, name), 'utf8'));
const cases = (await readJson('cases.json')) as readonly Case[];
const { usages } = (await readJson('genai-prices.json')) as {
  readonly usages: Readonly<Record<string, Counts>>;
};

describe('the readers of usage, beside genai-prices', () => {
  it.each(cases)('$name', ({ name, api, response, differs = {}, because }) => {
    const usage = READERS[api](response);
    const theirs = usages[name];
    if (!usage || !theirs) throw new Error('no usage');
    const ours = countsOf(usage);
    const differences = Object.fromEntries(
      Object.entries(ours)
        .map(([field, count]) => [field, [count, theirs[field] ?? null]] as const)
        .filter(([, [count, other]]) => count !== other),
    );
    expect(differences).toEqual(differs);
    expect(because !== undefined).toBe(Object.keys(differs).length > 0);
  });
});
