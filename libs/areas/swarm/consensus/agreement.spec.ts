import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agreementOf, cosineOf } from './agreement.js';

describe('the agreement of proposals', () => {
  it('unites equal texts, whatever their case, punctuation and spaces', () => {
    const { agrees, confidence } = agreementOf(['It is 42.', ' it is  42', 'No.', 'IT IS: 42!']);
    expect(agrees).toEqual([true, true, false, true]);
    expect(confidence).toBe(0.75);
  });

  it('unites texts with nearly the same words', () => {
    const one = 'The capital of France is Paris';
    const other = 'Paris is the capital of France today';
    // 6 common words: 6 / sqrt(6 * 7)
    expect(cosineOf(one.toLowerCase().split(' '), other.toLowerCase().split(' '))).toBeCloseTo(
      6 / Math.sqrt(42),
      12,
    );
    expect(agreementOf([one, other, 'It is Lyon']).confidence).toBeCloseTo(2 / 3, 12);
  });

  it('counts how often a word comes', () => {
    expect(cosineOf(['a', 'a', 'b'], ['a', 'b'])).toBeCloseTo(3 / Math.sqrt(10), 12);
    expect(cosineOf([], ['a'])).toBe(0);
    expect(cosineOf(['a'], ['b'])).toBe(0);
  });

  it('takes the earliest of equally large clusters', () => {
    expect(agreementOf(['yes', 'no', 'yes', 'no']).agrees).toEqual([true, false, true, false]);
    expect(agreementOf(['one', 'two', 'three'])).toEqual({
      agrees: [true, false, false],
      confidence: 1 / 3,
    });
  });

  it('reads every alphabet', () => {
    expect(agreementOf(['Ответ: да', 'ответ да', '不']).confidence).toBeCloseTo(2 / 3, 12);
  });

  it('is between one proposal and all, and has as many members as it says', () => {
    const word = fc.constantFrom('knot', 'cord', 'rope');
    const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (proposals) => {
        const { agrees, confidence } = agreementOf(proposals);
        expect(agrees).toHaveLength(proposals.length);
        const size = agrees.filter(Boolean).length;
        expect(size).toBeGreaterThanOrEqual(1);
        expect(confidence).toBe(size / proposals.length);
      }),
    );
  });
});
