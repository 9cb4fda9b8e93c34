import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holds, includesText } from './conditions.js';
import { type Condition } from './control-nodes.js';

type Row = readonly [unknown, Condition['operator'], unknown, boolean];

const TABLE: readonly Row[] = [
  ['a', 'equals', 'a', true],
  [1, 'equals', '1', false],
  [{ a: [1] }, 'equals', { a: [1] }, true],
  ['a', 'not_equals', 'b', true],
  ['a', 'not_equals', 'a', false],
  ['knots', 'contains', 'not', true],
  ['knots', 'contains', 'wool', false],
  [[{ a: 1 }], 'contains', { a: 1 }, true],
  [7, 'contains', 7, false],
  ['knots', 'not_contains', 'wool', true],
  [['a'], 'not_contains', 'a', false],
  [2, 'greater_than', 1, true],
  ['10', 'greater_than', '9', true],
  [1, 'greater_than', 1, false],
  ['', 'greater_than', -1, false],
  ['many', 'less_than', 5, false],
  [1, 'less_than', '1.5', true],
  [null, 'is_empty', undefined, true],
  ['', 'is_empty', undefined, true],
  [[], 'is_empty', undefined, true],
  [{}, 'is_empty', undefined, true],
  [0, 'is_empty', undefined, false],
  [false, 'is_not_empty', undefined, true],
  [['a'], 'is_not_empty', undefined, true],
];

describe('a condition', () => {
  it.each(TABLE)('%j %s %j: %s', (value, operator, to, expected) => {
    expect(holds({ value, operator, to })).toBe(expected);
  });
});

describe('a text in a text', () => {
  it('is found where the native search finds it', () => {
    const text = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
    fc.assert(
      fc.property(text(0, 400), text(0, 120), fc.nat(400), (others, part, at) => {
        const planted = others.slice(0, at) + part + others.slice(at);
        expect(includesText(planted, part)).toBe(true);
        expect(includesText(others, part)).toBe(others.includes(part));
      }),
    );
  });

  it('is searched in linear time', () => {
    const [text, part] = ['a'.repeat(500_000), `ab${'a'.repeat(499_000)}`];
    const before = process.threadCpuUsage();
    expect(includesText(text, part)).toBe(false);
    const { user, system } = process.threadCpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});
