import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Grouped, published, publishedPoints } from './suppression.js';

const of = (value: number, ...members: readonly string[]): Grouped => ({ value, members });

describe('a figure', () => {
  it('is published for an empty group and for a large one, not for a small one', () => {
    expect(published([], 3)).toBe(0);
    expect(published([of(0)], 3)).toBe(0);
    expect(published([of(5, 'a', 'b')], 3)).toBeNull();
    expect(published([of(5, 'a', 'b'), of(7, 'b', 'c')], 3)).toBe(12);
    expect(published([of(5, 'a')], 1)).toBe(5);
  });
});

describe('the points of a chart', () => {
  it('are null where the group is small', () => {
    const points = [of(1, 'a'), of(2, 'b', 'c', 'd'), of(0), of(3, 'b', 'c')];
    expect(publishedPoints(points, 3)).toEqual([null, 2, 0, null]);
  });

  it('hide a further point where the total would reveal the hidden one', () => {
    const points = [of(1, 'a'), of(2, 'b', 'c', 'd', 'e'), of(3, 'b', 'c', 'd')];
    expect(publishedPoints(points, 3)).toEqual([null, 2, null]);
  });

  it('never leave out points of a small group only, while the total is published', () => {
    const member = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const point = fc
      .tuple(fc.uniqueArray(member, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }))
      .map(([members, value]) => of(members.length === 0 ? 0 : value, ...members));
    fc.assert(
      fc.property(fc.array(point, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), (all, min) => {
        const shown = publishedPoints(all, min);
        const hidden = all.filter((_, index) => shown[index] === null);
        for (const [index, { value, members }] of all.entries()) {
          if (shown[index] === null) continue;
          expect(shown[index]).toBe(value);
          expect(members.length === 0 || members.length >= min).toBe(true);
        }
        if (hidden.length === 0 || published(all, min) === null) return;
        const together = new Set(hidden.flatMap(({ members }) => members));
        expect(together.size).toBeGreaterThanOrEqual(min);
      }),
    );
  });
});
