import { describe, expect, it } from '@jest/globals';
import { withoutTrailing } from './trailing.js';

describe('a text without trailing characters', () => {
  it.each([
    ['https://a.example/v1//', '/', 'https://a.example/v1'],
    ['///', '/', ''],
    ['', '/', ''],
    ['/a', '/', '/a'],
  ])('of %j and %j is %j', (text, character, expected) => {
    expect(withoutTrailing(text, character)).toBe(expected);
  });

  it('takes linear time', () => {
    const began = performance.now();
    expect(withoutTrailing(`${'/'.repeat(1_000_000)}a`, '/')).toHaveLength(1_000_001);
    expect(performance.now() - began).toBeLessThan(500);
  });
});
