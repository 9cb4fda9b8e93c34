import { describe, expect, it } from '@jest/globals';
import { mergedUsage, messageUsage } from './anthropic-usage.js';

describe('the usage of Anthropic', () => {
  it('counts cached input beside the fresh one, by its life, and thinking within the output', () => {
    const stated = {
      input_tokens: 2_095,
      cache_read_input_tokens: 20_000,
      cache_creation_input_tokens: 1_500,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 500 },
      output_tokens: 503,
      output_tokens_details: { thinking_tokens: 300 },
      service_tier: 'standard',
    };
    expect(messageUsage(stated, 'm')).toEqual({
      promptTokens: 23_595,
      completionTokens: 503,
      parts: {
        cache_read_tokens: 20_000,
        cache_write_5m_tokens: 1_000,
        cache_write_1h_tokens: 500,
        reasoning_tokens: 300,
      },
      source: 'provider',
    });
  });

  it('takes a write without a life for one of five minutes', () => {
    const stated = { input_tokens: 3, cache_creation_input_tokens: 12_304, output_tokens: 550 };
    expect(messageUsage(stated, 'm')).toMatchObject({
      promptTokens: 12_307,
      parts: { cache_write_5m_tokens: 12_304 },
    });
  });

  it('leaves out what is not stated', () => {
    const stated = { input_tokens: 5, cache_read_input_tokens: null, output_tokens: 2 };
    const usage = { promptTokens: 5, completionTokens: 2, source: 'provider' };
    expect(messageUsage(stated, 'm')).toEqual(usage);
  });

  it('refuses a negative count and says so', () => {
    const stated = { input_tokens: -1, cache_read_input_tokens: 900, output_tokens: 4 };
    expect(messageUsage(stated, 'm')).toMatchObject({ promptTokens: 900, doubts: ['bad_count'] });
    expect(messageUsage({ input_tokens: 1, output_tokens: -4 }, 'm')).toBeNull();
    expect(messageUsage(null, 'm')).toBeNull();
  });

  it('reads searches, the tier, the speed and the place', () => {
    const stated = { input_tokens: 1, output_tokens: 1, service_tier: 'priority' };
    const more = { server_tool_use: { web_search_requests: 2 }, inference_geo: 'us' };
    expect(messageUsage({ ...stated, ...more }, 'm')).toMatchObject({
      searches: 2,
      serviceTier: 'priority',
      residency: 'us',
    });
    expect(messageUsage({ ...stated, speed: 'fast' }, 'm')).toMatchObject({ serviceTier: 'fast' });
    expect(messageUsage({ ...stated, inference_geo: 'global' }, 'm')).not.toHaveProperty(
      'residency',
    );
  });

  it('bills the sum of the calls, each with its model', () => {
    const stated = {
      input_tokens: 100,
      output_tokens: 10,
      iterations: [
        { type: 'compaction', input_tokens: 900, output_tokens: 50 },
        { type: 'message', model: 'm', input_tokens: 60, output_tokens: 4 },
        { type: 'advisor_message', model: 'wise', input_tokens: 7, output_tokens: 2 },
        { type: 'message', model: 'm', input_tokens: 40, output_tokens: 6 },
      ],
    };
    expect(messageUsage(stated, 'm')).toEqual({
      promptTokens: 100,
      completionTokens: 10,
      source: 'provider',
      further: [
        { model: 'm', usage: { promptTokens: 900, completionTokens: 50 } },
        { model: 'wise', usage: { promptTokens: 7, completionTokens: 2 } },
      ],
    });
  });

  it('of a stream is cumulative: a later count replaces an earlier one, and null keeps it', () => {
    const start = {
      input_tokens: 4,
      cache_read_input_tokens: 2_455,
      cache_creation: { ephemeral_5m_input_tokens: 0 },
      output_tokens: 1,
    };
    const delta = { input_tokens: 9, cache_read_input_tokens: null, output_tokens: 23 };
    expect(mergedUsage(mergedUsage({}, start), delta)).toEqual({
      ...start,
      input_tokens: 9,
      output_tokens: 23,
    });
  });
});
