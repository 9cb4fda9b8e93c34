import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INPUT_PARTS, OUTPUT_PARTS, type TokenPart } from '#events/token-meters.js';
import { sumOfUsage, type Usage, usageObject, usageWithin } from './chat-usage.js';

const usages: fc.Arbitrary<Usage> = fc
  .record({
    inputs: fc.dictionary(fc.constantFrom(...INPUT_PARTS), fc.nat(50)),
    outputs: fc.dictionary(fc.constantFrom(...OUTPUT_PARTS), fc.nat(50)),
    fresh: fc.nat(50),
    plain: fc.nat(50),
  })
  .map(({ inputs, outputs, fresh, plain }) => {
    const sumOf = (counts: Readonly<Record<string, number>>) =>
      Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      promptTokens: fresh + sumOf(inputs),
      completionTokens: plain + sumOf(outputs),
      parts: { ...inputs, ...outputs },
      source: 'provider',
    };
  });

const partsOf = ({ parts = {} }: Usage, names: readonly TokenPart[]): number =>
  names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);

describe('usage', () => {
  it('within a bound is a partition still, and no class has more tokens', () => {
    fc.assert(
      fc.property(usages, fc.nat(200), fc.nat(200), (usage, inputTokens, outputTokens) => {
        const within = usageWithin(usage, { inputTokens, outputTokens });
        expect(within.promptTokens).toBe(Math.min(usage.promptTokens, inputTokens));
        expect(within.completionTokens).toBe(Math.min(usage.completionTokens, outputTokens));
        expect(partsOf(within, INPUT_PARTS)).toBeLessThanOrEqual(within.promptTokens);
        expect(partsOf(within, OUTPUT_PARTS)).toBeLessThanOrEqual(within.completionTokens);
        for (const part of [...INPUT_PARTS, ...OUTPUT_PARTS]) {
          expect(within.parts?.[part] ?? 0).toBeLessThanOrEqual(usage.parts?.[part] ?? 0);
        }
      }),
    );
  });

  it('of several requests has the sum of each count that one of them states', () => {
    const one: Usage = { promptTokens: 3, completionTokens: 1, source: 'provider', searches: 1 };
    const other: Usage = {
      ...one,
      searches: 2,
      parts: { cache_read_tokens: 2 },
      doubts: ['bad_count'],
    };
    expect(sumOfUsage(one, other)).toEqual({
      promptTokens: 6,
      completionTokens: 2,
      source: 'provider',
      searches: 3,
      parts: { cache_read_tokens: 2 },
      doubts: ['bad_count'],
    });
    expect(sumOfUsage(undefined, one)).toBe(one);
  });

  it('shows written tokens of every life, and nothing that was not measured', () => {
    const parts = { cache_write_5m_tokens: 2, cache_write_1h_tokens: 3 };
    const usage: Usage = { promptTokens: 9, completionTokens: 1, source: 'provider', parts };
    const { prompt_tokens_details: details, ...rest } = usageObject(usage);
    expect(JSON.parse(JSON.stringify(details))).toEqual({ cache_write_tokens: 5 });
    expect(rest).not.toHaveProperty('completion_tokens_details');
  });
});
