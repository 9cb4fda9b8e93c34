import { describe, expect, it } from '@jest/globals';
import { isMetadata } from './metadata.validator.js';

const pairs = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'x']));

describe('metadata of a batch', () => {
  it.each([
    ['nothing', {}, true],
    ['16 pairs', pairs(16), true],
    ['17 pairs', pairs(17), false],
    ['a key of 64 characters', { ['k'.repeat(64)]: 'x' }, true],
    ['a key of 65 characters', { ['k'.repeat(65)]: 'x' }, false],
    ['a value of 512 characters', { key: 'x'.repeat(512) }, true],
    ['a value of 513 characters', { key: 'x'.repeat(513) }, false],
    ['a number', { key: 5 }, false],
    ['no object', 'key', false],
  ])('may be or not: %s', (_, value, isAllowed) => {
    expect(isMetadata(value)).toBe(isAllowed);
  });
});
