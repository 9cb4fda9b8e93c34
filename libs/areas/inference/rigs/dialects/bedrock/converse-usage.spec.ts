import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INPUT_PARTS } from '#events/token-meters.js';
import { converseTier, converseUsage } from './converse-usage.js';

const CLAUDE = { model: 'eu.anthropic.claude-opus-5-5', isStream: false };
const GPT = { model: 'openai.gpt-5.6-terra', isStream: true };
const PROVIDER = { source: 'provider' as const };

describe('the usage of Converse', () => {
  it('counts fresh input, reads and writes beside each other', () => {
    const usage = {
      inputTokens: 10,
      cacheReadInputTokens: 700,
      cacheWriteInputTokens: 5_000,
      cacheDetails: [
        { ttl: '1h', inputTokens: 2_000 },
        { ttl: '5m', inputTokens: 3_000 },
      ],
      outputTokens: 200,
      totalTokens: 5_910,
    };
    expect(converseUsage(usage, CLAUDE)).toEqual({
      ...PROVIDER,
      promptTokens: 5_710,
      completionTokens: 200,
      parts: {
        cache_read_tokens: 700,
        cache_write_1h_tokens: 2_000,
        cache_write_5m_tokens: 3_000,
      },
    });
  });

  it('takes a write without its life for one of 5 minutes, and the rest of a short list', () => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheWriteInputTokens: 100 };
    expect(converseUsage(usage, CLAUDE)?.parts).toEqual({ cache_write_5m_tokens: 100 });
    const cacheDetails = [{ ttl: '1h', inputTokens: 60 }];
    expect(converseUsage({ ...usage, cacheDetails }, CLAUDE)?.parts).toEqual({
      cache_write_1h_tokens: 60,
      cache_write_5m_tokens: 40,
    });
  });

  it('counts what a stream of OpenAI models states twice once', () => {
    const usage = {
      inputTokens: 4_995,
      cacheReadInputTokens: 0,
      cacheWriteInputTokens: 4_993,
      outputTokens: 19,
      totalTokens: 10_007,
    };
    expect(converseUsage(usage, GPT)).toEqual({
      ...PROVIDER,
      promptTokens: 4_995,
      completionTokens: 19,
      parts: { cache_read_tokens: 0, cache_write_5m_tokens: 4_993 },
      doubts: ['parts_overlap'],
    });
    // The plain call of the same prompt.
    const plain = { ...usage, inputTokens: 2, totalTokens: 5_014 };
    expect(converseUsage(plain, { ...GPT, isStream: false })).toMatchObject({
      promptTokens: 4_995,
      parts: { cache_write_5m_tokens: 4_993 },
    });
  });

  it('never subtracts the caches of another family', () => {
    const usage = { inputTokens: 5_000, cacheReadInputTokens: 100, outputTokens: 1 };
    expect(converseUsage(usage, { ...CLAUDE, isStream: true })).toMatchObject({
      promptTokens: 5_100,
    });
  });

  it('takes a total with or without the caches, and cuts one below its parts', () => {
    const usage = { inputTokens: 120, cacheReadInputTokens: 8_000, outputTokens: 300 };
    const read = { promptTokens: 8_120, completionTokens: 300 };
    expect(converseUsage({ ...usage, totalTokens: 8_420 }, CLAUDE)).toMatchObject(read);
    expect(converseUsage({ ...usage, totalTokens: 420 }, CLAUDE)).not.toHaveProperty('doubts');
    expect(converseUsage({ ...usage, totalTokens: 8_400 }, CLAUDE)).toMatchObject({
      promptTokens: 8_120,
      completionTokens: 280,
      doubts: ['total_differs'],
    });
  });

  it('measures no cache that is not stated, and refuses negative counts', () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 };
    expect(converseUsage(usage, CLAUDE)).toEqual({
      ...PROVIDER,
      promptTokens: 1_000,
      completionTokens: 100,
    });
    expect(converseUsage({ ...usage, cacheReadInputTokens: -5 }, CLAUDE)).toMatchObject({
      promptTokens: 1_000,
      doubts: ['bad_count'],
    });
    expect(converseUsage({ ...usage, inputTokens: -1 }, CLAUDE)).toBeNull();
  });

  it('reads the tier', () => {
    expect(converseTier({ serviceTier: { type: 'flex' } })).toBe('flex');
    expect(converseTier({ serviceTier: { type: 'default' } })).toBeUndefined();
    expect(converseTier({})).toBeUndefined();
  });

  it('never has classes above the prompt, whatever is stated', () => {
    const count = fc.oneof(fc.integer({ min: -5, max: 5_000 }), fc.constant(undefined));
    const usage = fc.record({
      inputTokens: count,
      outputTokens: count,
      totalTokens: count,
      cacheReadInputTokens: count,
      cacheWriteInputTokens: count,
      cacheDetails: fc.array(fc.record({ ttl: fc.constantFrom('5m', '1h'), inputTokens: count })),
    });
    fc.assert(
      fc.property(usage, fc.constantFrom(CLAUDE, GPT), (stated, source) => {
        const { parts = {}, promptTokens = 0 } = converseUsage(stated, source) ?? {};
        const sum = INPUT_PARTS.reduce((all, name) => all + (parts[name] ?? 0), 0);
        expect(sum).toBeLessThanOrEqual(promptTokens);
        expect(Math.min(...Object.values(parts), 0)).toBe(0);
      }),
    );
  });
});
