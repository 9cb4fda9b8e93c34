import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INPUT_PARTS, OUTPUT_PARTS, type TokenPart } from '#events/token-meters.js';
import { usageObject } from '#platform/chats/chat-usage.js';
import { statedUsage } from './openai-usage.js';

const usage = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});
const inputs = (details: object) => ({ prompt_tokens_details: details });
const outputs = (details: object) => ({ completion_tokens_details: details });

describe('the usage that an OpenAI-compatible server states', () => {
  it.each<[string, object, object]>([
    ['without details', usage(9, 4), { promptTokens: 9, completionTokens: 4 }],
    ['with a zero', usage(9, 4, inputs({ cached_tokens: 0 })), { parts: { cache_read_tokens: 0 } }],
    [
      'with searches and calls of tools',
      usage(9, 4, {
        server_tool_use_details: { web_search_requests: 2, tool_calls_executed: 5 },
      }),
      { searches: 2, toolCalls: 5 },
    ],
    ['that it did not measure', usage(9, 4, inputs({ cached_tokens: null })), { promptTokens: 9 }],
    [
      'with reasoning beside the completion',
      { ...usage(9, 4, outputs({ reasoning_tokens: 6 })), total_tokens: 19 },
      { completionTokens: 10, parts: { reasoning_tokens: 6 } },
    ],
    [
      'with a total below its parts',
      { ...usage(9, 4), total_tokens: 11 },
      { promptTokens: 9, completionTokens: 2, doubts: ['total_differs'] },
    ],
    [
      'with more cached tokens than the prompt has',
      usage(9, 4, inputs({ cached_tokens: 7, cache_write_tokens: 5 })),
      {
        parts: { cache_read_tokens: 7, cache_write_30m_tokens: 2 },
        doubts: ['parts_above_total'],
      },
    ],
    [
      'with images among the cached tokens',
      usage(9, 4, inputs({ cached_tokens: 7, image_tokens: 5 })),
      { parts: { cache_read_tokens: 7 }, doubts: ['parts_overlap'] },
    ],
    [
      'with a negative count',
      usage(9, 4, inputs({ cached_tokens: -1 })),
      { promptTokens: 9, doubts: ['bad_count'] },
    ],
  ])('%s', (_, stated, expected) => {
    expect(statedUsage(stated)).toMatchObject({ source: 'provider', ...expected });
  });

  it.each([
    ['no object', 7],
    ['a negative prompt', usage(-1, 4)],
    ['half a token', usage(1, 0.5)],
    ['no completion', { prompt_tokens: 1 }],
  ])('is none with %s', (_, stated) => {
    expect(statedUsage(stated)).toBeNull();
  });

  it('is a partition of the totals, whatever it says', () => {
    const count = fc.oneof(fc.nat(30), fc.constantFrom(-1, 0.5, null, undefined, 'x', 1e20));
    const details = (...names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, count])));
    const stated = fc.record({
      prompt_tokens: fc.nat(40),
      completion_tokens: fc.nat(40),
      total_tokens: count,
      prompt_cache_hit_tokens: count,
      prompt_tokens_details: fc.option(
        details('cached_tokens', 'cache_write_tokens', 'audio_tokens', 'image_tokens'),
      ),
      completion_tokens_details: fc.option(details('reasoning_tokens', 'audio_tokens')),
    });
    fc.assert(
      fc.property(stated, (one) => {
        const read = statedUsage(one);
        if (!read) throw new Error('nothing was read');
        const { promptTokens, completionTokens, parts = {} } = read;
        const sumOf = (names: readonly TokenPart[]): number =>
          names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
        expect(Object.values(parts).every((value) => value >= 0)).toBe(true);
        expect(sumOf(INPUT_PARTS)).toBeLessThanOrEqual(promptTokens);
        expect(sumOf(OUTPUT_PARTS)).toBeLessThanOrEqual(completionTokens);
        expect(promptTokens).toBeLessThanOrEqual(one.prompt_tokens);
      }),
    );
  });

  it('is written again with the classes that were measured', () => {
    const one = usage(9, 4, {
      ...inputs({ cached_tokens: 2 }),
      ...outputs({ reasoning_tokens: 3 }),
    });
    const read = statedUsage(one);
    expect(read && JSON.parse(JSON.stringify(usageObject(read)))).toEqual(one);
  });
});
