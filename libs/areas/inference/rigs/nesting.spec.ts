import { describe, expect, it } from '@jest/globals';
import { isDeeperThan } from './nesting.js';

const lists = (levels: number): unknown =>
  JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
const objects = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown;

describe('the levels of a value', () => {
  it.each([
    ['a text', 'x', 0, false],
    ['null', null, 0, false],
    ['an empty list', [], 0, true],
    ['an empty list', [], 1, false],
    ['lists at the limit', lists(64), 64, false],
    ['lists above the limit', lists(65), 64, true],
    ['objects at the limit', objects(64), 64, false],
    ['objects above the limit', objects(65), 64, true],
    ['the last of many entries', [1, 'x', { a: [[]] }], 3, true],
    ['a value that recursion to its end would not survive', lists(200_000), 64, true],
  ])('%s', (_, value, levels, expected) => {
    expect(isDeeperThan(value, levels)).toBe(expected);
  });
});
