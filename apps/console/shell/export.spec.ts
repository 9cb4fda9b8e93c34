import { describe, expect, it } from '@jest/globals';
import { csvOf, nextRoute, rowsIn } from './export.js';

describe('an exported list', () => {
  it('is the one list of an answer', () => {
    expect(rowsIn({ success: true, rows: [{ a: 1 }] })).toEqual(['rows', [{ a: 1 }]]);
    expect(rowsIn({ success: true })).toBeNull();
    expect(rowsIn({ one: [{ a: 1 }], two: [{ a: 1 }] })).toBeNull();
    expect(rowsIn({ names: ['a'] })).toBeNull();
  });

  it.each([
    [{ next_after: 'c' }, '/list?model=m&after=c'],
    [{ next_after: null }, null],
    [{ page: 1, total_pages: 2 }, '/list?model=m&page=2'],
    [{ page: 2, total_pages: 2 }, null],
    [{}, null],
  ])('continues after %j at %j', (answer, next) => {
    expect(nextRoute('/list?model=m', answer)).toBe(next);
  });

  it('is CSV with the fields of all rows, and no formula', () => {
    const rows = [
      { a: 1, text: 'one, "two"' },
      { a: null, text: '=SUM(A1)', more: { b: [1] } },
      { a: '-0.5', text: '-x', more: true },
    ];
    expect(csvOf(rows)).toBe(
      'a,text,more\r\n1,"one, ""two""",\r\n,\'=SUM(A1),"{""b"":[1]}"\r\n-0.5,\'-x,true\r\n',
    );
  });
});
