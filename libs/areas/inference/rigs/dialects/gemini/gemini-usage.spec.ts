import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INPUT_PARTS, OUTPUT_PARTS } from '#events/token-meters.js';
import { geminiUsage, mergedMetadata } from './gemini-usage.js';

const PROVIDER = { source: 'provider' as const };

describe('the usage of Gemini', () => {
  it('counts thoughts beside the candidates, and cached tokens inside the prompt', () => {
    const metadata = {
      promptTokenCount: 11_125,
      cachedContentTokenCount: 7_441,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 409,
      totalTokenCount: 11_554,
    };
    expect(geminiUsage(metadata)).toEqual({
      ...PROVIDER,
      promptTokens: 11_125,
      completionTokens: 429,
      parts: { cache_read_tokens: 7_441, reasoning_tokens: 409 },
    });
  });

  it('counts the prompts of tools beside the prompt', () => {
    const metadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 50,
      candidatesTokenCount: 10,
      totalTokenCount: 160,
    };
    expect(geminiUsage(metadata)).toEqual({
      ...PROVIDER,
      promptTokens: 150,
      completionTokens: 10,
    });
  });

  it('sorts modalities, cached ones too; documents and videos are fresh input', () => {
    const metadata = {
      promptTokenCount: 6_000,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 1_000 },
        { modality: 'AUDIO', tokenCount: 4_000 },
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'DOCUMENT', tokenCount: 742 },
      ],
      cachedContentTokenCount: 2_000,
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 500 },
        { modality: 'AUDIO', tokenCount: 1_500 },
      ],
      candidatesTokenCount: 1_590,
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 300 },
        { modality: 'IMAGE', tokenCount: 1_290 },
      ],
      totalTokenCount: 7_590,
    };
    expect(geminiUsage(metadata)).toEqual({
      ...PROVIDER,
      promptTokens: 6_000,
      completionTokens: 1_590,
      parts: {
        cache_read_audio_tokens: 1_500,
        cache_read_tokens: 500,
        audio_input_tokens: 2_500,
        image_input_tokens: 258,
        image_output_tokens: 1_290,
      },
    });
  });

  it('takes an implicit hit without details from the text, then from the audio', () => {
    const metadata = {
      promptTokenCount: 5_000,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 1_000 },
        { modality: 'AUDIO', tokenCount: 4_000 },
      ],
      candidatesTokenCount: 10,
    };
    expect(geminiUsage({ ...metadata, cachedContentTokenCount: 800 })).toMatchObject({
      parts: { cache_read_tokens: 800, audio_input_tokens: 4_000 },
    });
    expect(geminiUsage({ ...metadata, cachedContentTokenCount: 2_000 })).toMatchObject({
      parts: { cache_read_tokens: 2_000, audio_input_tokens: 3_000 },
      doubts: ['parts_overlap'],
    });
  });

  it('takes thoughts for a part of the candidates where the total says so', () => {
    const metadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 80,
      totalTokenCount: 110,
    };
    expect(geminiUsage(metadata)).toEqual({
      ...PROVIDER,
      promptTokens: 10,
      completionTokens: 100,
      parts: { reasoning_tokens: 80 },
      doubts: ['total_differs'],
    });
  });

  it('counts no candidates where only thoughts came', () => {
    const metadata = { promptTokenCount: 3, thoughtsTokenCount: 1_054, totalTokenCount: 1_057 };
    expect(geminiUsage(metadata)).toMatchObject({
      completionTokens: 1_054,
      parts: { reasoning_tokens: 1_054 },
    });
  });

  it('measures no class that is not stated', () => {
    const metadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };
    expect(geminiUsage(metadata)).toEqual({ ...PROVIDER, promptTokens: 3, completionTokens: 4 });
  });

  it('refuses a negative count, and a whole without its prompt', () => {
    const metadata = { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: -1 };
    expect(geminiUsage(metadata)).toMatchObject({ completionTokens: 4, doubts: ['bad_count'] });
    expect(geminiUsage({ promptTokenCount: -1, candidatesTokenCount: 4 })).toBeNull();
    expect(geminiUsage({ cachedContentTokenCount: 4 })).toBeNull();
    expect(geminiUsage(undefined)).toBeNull();
  });

  it('merges the counts of a stream by their last statement', () => {
    const chunks = [
      { cachedContentTokenCount: 2_000 },
      { promptTokenCount: 3_000, candidatesTokenCount: 5, totalTokenCount: 3_005 },
      { promptTokenCount: 3_000, candidatesTokenCount: 9, totalTokenCount: 3_009 },
      { thoughtsTokenCount: null, totalTokenCount: 3_009 },
    ];
    expect(geminiUsage(chunks.reduce(mergedMetadata, {}))).toEqual({
      ...PROVIDER,
      promptTokens: 3_000,
      completionTokens: 9,
      parts: { cache_read_tokens: 2_000 },
    });
  });

  it.each([
    ['ON_DEMAND', undefined],
    ['ON_DEMAND_PRIORITY', 'priority'],
    ['ON_DEMAND_FLEX', 'flex'],
    ['PROVISIONED_THROUGHPUT', 'provisioned'],
  ])('reads the traffic %s of Vertex as the tier %s', (trafficType, serviceTier) => {
    const usage = geminiUsage({ promptTokenCount: 1, candidatesTokenCount: 1, trafficType });
    expect(usage?.serviceTier).toBe(serviceTier);
  });

  it('never has classes above their totals, whatever is stated', () => {
    const count = fc.oneof(fc.integer({ min: -5, max: 5_000 }), fc.constant(undefined));
    const list = fc.array(
      fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE'), tokenCount: count }),
    );
    const metadata = fc.record({
      promptTokenCount: count,
      cachedContentTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      toolUsePromptTokenCount: count,
      totalTokenCount: count,
      promptTokensDetails: list,
      cacheTokensDetails: list,
      candidatesTokensDetails: list,
    });
    fc.assert(
      fc.property(metadata, (stated) => {
        const usage = geminiUsage(stated);
        if (!usage) return;
        const { parts = {}, promptTokens, completionTokens } = usage;
        const sumOf = (names: readonly (keyof typeof parts)[]) =>
          names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
        expect(sumOf(INPUT_PARTS)).toBeLessThanOrEqual(promptTokens);
        expect(sumOf(OUTPUT_PARTS)).toBeLessThanOrEqual(completionTokens);
        expect(Math.min(...Object.values(parts), 0)).toBe(0);
      }),
    );
  });
});
