import { describe, expect, it } from '@jest/globals';
import { isNear } from './near.js';

describe('records of two runs', () => {
  it('are near when numbers differ by rounding', () => {
    const one = { logits: [[0.5, -123.456789]], name: 'nano', steps: 8, none: null };
    expect(isNear(one, { ...one, logits: [[0.500001, -123.456]] })).toBe(true);
  });

  it.each([
    ['a number', { a: 0.5 }, { a: 0.50002 }],
    ['a large number', { a: 1e3 + 0.5 }, { a: 1e3 + 0.52 }],
    ['a count', { a: 1_000_000 }, { a: 1_000_001 }],
    ['a text', ['a'], ['b']],
    ['a length', [1, 2], [1]],
    ['a key', { a: 1 }, { b: 1 }],
    ['another key', { a: 1 }, { a: 1, b: 1 }],
    ['a kind', { a: null }, { a: 0 }],
    ['a list', [], {}],
  ])('are not near when %s differs', (_what, one, other) => {
    expect(isNear(one, other)).toBe(false);
    expect(isNear(other, one)).toBe(false);
  });
});
