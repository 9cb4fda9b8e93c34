import { describe, expect, it } from '@jest/globals';
import { pageOfItems } from './item-page.js';

const ITEMS = ['a', 'b', 'c', 'd'];
const page = (more: object) =>
  pageOfItems(ITEMS, (item) => item, { limit: 2, order: 'asc', ...more });

describe('a page of items', () => {
  it.each([
    [{}, ['a', 'b'], true],
    [{ order: 'desc' }, ['d', 'c'], true],
    [{ after: 'b' }, ['c', 'd'], false],
    [{ after: 'd' }, [], false],
    [{ order: 'desc', after: 'c' }, ['b', 'a'], false],
    [{ before: 'd' }, ['b', 'c'], true],
    [{ before: 'b' }, ['a'], false],
    [{ before: 'd', after: 'b' }, ['c'], false],
  ] as const)('%j', (asked, items, hasMore) => {
    expect(page(asked)).toEqual({ items, hasMore });
  });

  it('names the cursor that is no item', () => {
    expect(page({ after: 'z' })).toBe('after');
    expect(page({ before: 'z' })).toBe('before');
  });
});
