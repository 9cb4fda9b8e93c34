import { beforeEach, describe, expect, it } from '@jest/globals';
import { put, type ReadStoreStage, USAGE } from './read-store.fixture.js';

/** The order, the ranges and the limits of lists. */
export const listsContract = (stage: ReadStoreStage): void => {
  describe('lists', () => {
    const inByteOrder = ['A', 'a', 'a-1', 'a-2', 'a-\uffff', 'a-😀', 'b', 'é', '\ud7ff', '\ue000']
      .concat('\uffff', '😀', '\u{10ffff}', '\u{10ffff}\u{10ffff}')
      .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

    beforeEach(async () => {
      const writes = inByteOrder.toReversed().map((key, n) => put(key, BigInt(n + 1)));
      await stage.store.commit({ writes });
    });

    it('are in the order of bytes, both ways', async () => {
      expect(await stage.keys()).toEqual(inByteOrder);
      expect(await stage.keys({ direction: 'forwards' })).toEqual(inByteOrder);
      expect(await stage.keys({ direction: 'backwards' })).toEqual(inByteOrder.toReversed());
    });

    it.each([
      ['a-', ['a-1', 'a-2', 'a-\uffff', 'a-😀']],
      ['a-\uffff', ['a-\uffff']],
      ['\ud7ff', ['\ud7ff']],
      ['\uffff', ['\uffff']],
      ['\u{10ffff}', ['\u{10ffff}', '\u{10ffff}\u{10ffff}']],
      ['%', []],
      ['', inByteOrder],
    ])('and counts take a prefix literally: %j', async (prefix, expected) => {
      expect(await stage.keys({ prefix })).toEqual(expected);
      expect(await stage.store.count(USAGE, prefix)).toBe(expected.length);
    });

    it('include `from` and exclude `before`, both ways', async () => {
      const range = { from: 'a-1', before: 'a-😀' };
      expect(await stage.keys(range)).toEqual(['a-1', 'a-2', 'a-\uffff']);
      expect(await stage.keys({ ...range, direction: 'backwards' })).toEqual([
        'a-\uffff',
        'a-2',
        'a-1',
      ]);
      expect(await stage.keys({ from: 'a-15', before: 'a-15' })).toEqual([]);
      expect(await stage.keys({ before: '' })).toEqual([]);
      expect(await stage.keys({ from: '' })).toEqual(inByteOrder);
    });

    it('join prefix and range by "and"', async () => {
      expect(await stage.keys({ prefix: 'a-', from: 'a-2' })).toEqual(['a-2', 'a-\uffff', 'a-😀']);
      expect(await stage.keys({ prefix: 'a-', before: 'a-2' })).toEqual(['a-1']);
      expect(await stage.keys({ prefix: 'a-', from: 'A', before: 'b' })).toEqual(
        await stage.keys({ prefix: 'a-' }),
      );
      expect(await stage.keys({ prefix: 'a-', from: 'b' })).toEqual([]);
    });

    it('skip and limit in the direction asked', async () => {
      expect(await stage.keys({ prefix: 'a-', limit: 2 })).toEqual(['a-1', 'a-2']);
      expect(await stage.keys({ prefix: 'a-', offset: 1, limit: 2 })).toEqual(['a-2', 'a-\uffff']);
      expect(
        await stage.keys({ prefix: 'a-', offset: 1, limit: 2, direction: 'backwards' }),
      ).toEqual(['a-\uffff', 'a-2']);
      expect(await stage.keys({ offset: inByteOrder.length })).toEqual([]);
    });

    it('end at 1,000 by default, and take up to 10,000', async () => {
      const writes = Array.from({ length: 1_200 }, (_, n) => put(`n${n}`, BigInt(n + 1)));
      await stage.store.commit({ writes });
      expect(await stage.keys({ prefix: 'n' })).toHaveLength(1_000);
      expect(await stage.keys({ prefix: 'n', limit: 10_000 })).toHaveLength(1_200);
    });
  });
};
