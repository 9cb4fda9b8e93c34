import { describe, expect, it } from '@jest/globals';
import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import { type AskedQuery, gridOf, queryOf } from './room-query.js';
import { checkColumns, codedRows, sizeOf, valueAt } from './room-table.js';

const number = (minimum: string, maximum: string, step: string) =>
  ({ kind: 'number', name: 'value', minimum, maximum, step }) as const;
const columns: readonly Column[] = [
  { kind: 'category', name: 'clinic', values: ['north', 'south', 'east'] },
  number('-1.5', '10', '0.5'),
  { ...number('0', '1000000', '1'), name: 'income' },
];
const schema = { version: 1, columns };
const asked = (more: Partial<AskedQuery>) =>
  queryOf(schema, { aggregate: 'count', groupBy: [], where: [], ...more });

describe('a column', () => {
  it('has the values of its grid, exactly', () => {
    const tenths = number('0', '0.3', '0.1');
    expect(sizeOf(tenths)).toBe(4);
    expect([0, 1, 2, 3].map((code) => valueAt(tenths, code))).toEqual([0, 0.1, 0.2, 0.3]);
    const [row] = codedRows({ version: 1, columns: [tenths] }, [[0.3]]);
    expect(row).toEqual([3]);
  });

  it.each([
    [number('0', '1', '0'), 'columns[0].step'],
    [number('0', '1', '0.3'), 'columns[0].maximum'],
    [number('1', '0', '1'), 'columns[0].maximum'],
    [number('0', '3000000000', '1'), 'columns[0].step'],
    [{ kind: 'category', name: 'value', values: ['a', 'a'] }, 'columns[0].values'],
  ] as const)('is rejected by name: %j', (column, path) => {
    expect(() => checkColumns([column])).toThrow(`${path}: expected`);
  });

  it('has a name of its own', () => {
    const one = number('0', '1', '1');
    expect(() => checkColumns([one, one])).toThrow('columns[1].name: expected');
  });

  it('sums on the greatest grid that has its minimum and its step', () => {
    expect(gridOf(number('-1.5', '10', '0.5'))).toMatchObject({ grid: { offset: -3, factor: 1 } });
    const { unit, grid } = gridOf(number('0.2', '1.4', '0.3'));
    expect([unit.toNumber(), grid]).toEqual([0.1, { offset: 2, factor: 3 }]);
    expect(gridOf(number('0', '9', '3'))).toMatchObject({ grid: { offset: 0, factor: 1 } });
  });
});

describe('a query', () => {
  it('is the same for the same meaning', () => {
    const one = { column: 'clinic', in: ['south', 'north', 'south'] };
    const other = { column: 'value', from: 0 };
    expect(asked({ where: [one, other] })).toEqual(
      asked({
        where: [
          { column: 'value', from: 0, to: 10 },
          { column: 'clinic', in: ['north', 'south'] },
        ],
      }),
    );
  });

  it.each([
    [{ aggregate: 'sum', column: 'clinic' }, 'column: expected a number column'],
    [{ aggregate: 'sum', column: 'nothing' }, 'column: expected one of clinic, value, income'],
    [{ aggregate: 'sum' }, 'column: expected one of'],
    [{ column: 'value' }, 'column: expected no such field with count'],
    [{ groupBy: ['clinic', 'clinic'] }, 'group_by: expected different columns'],
    [{ groupBy: ['income'] }, 'group_by: expected columns with at most 10000'],
    [{ aggregate: 'histogram', column: 'income' }, 'column: expected a column of at most 10000'],
    [{ aggregate: 'quantile', column: 'value' }, 'quantile: expected a number from 0.001'],
    [{ aggregate: 'top_k', column: 'clinic' }, 'k: expected the number of values'],
    [{ aggregate: 'top_k', column: 'clinic', k: 4 }, 'k: expected at most 3'],
    [{ aggregate: 'synthesize' }, 'rows: expected the number of rows'],
    [{ where: [{ column: 'clinic', in: ['west'] }] }, 'where[0].in[0]: expected a value'],
    [{ where: [{ column: 'clinic', from: 1 }] }, 'where[0].in: expected values of the category'],
    [{ where: [{ column: 'value', from: 0.25 }] }, 'where[0].from: expected a value'],
    [{ where: [{ column: 'value', in: [1], to: 2 }] }, 'where[0]: expected in, or from and to'],
  ] as const)('is rejected by name: %j', (more, message) => {
    expect(() => asked(more as Partial<AskedQuery>)).toThrow(message);
  });
});
