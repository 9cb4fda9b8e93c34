import { type CodedTable, type Condition } from './privacy.protocol.js';

/** A row of a table, by its index. */
export type RowTest = (row: number) => boolean;

export const rowsOf = ({ sizes, codes }: CodedTable): number => codes.length / sizes.length;

export const codeAt = ({ sizes, codes }: CodedTable, row: number, column: number): number =>
  codes[row * sizes.length + column] ?? 0;

/** All conditions hold. */
export const testOf = (table: CodedTable, where: readonly Condition[]): RowTest => {
  const tests = where.map((condition): RowTest => {
    const { column } = condition;
    if ('codes' in condition) {
      const codes = new Set(condition.codes);
      return (row) => codes.has(codeAt(table, row, column));
    }
    const { from, to } = condition;
    return (row) => {
      const code = codeAt(table, row, column);
      return code >= from && code <= to;
    };
  });
  return (row) => tests.every((test) => test(row));
};

/** The number of cells of keys. */
export const cellsOf = ({ sizes }: Pick<CodedTable, 'sizes'>, by: readonly number[]): number =>
  by.reduce((cells, column) => cells * (sizes[column] ?? 1), 1);

/** The cell of a row: the keys in mixed radix, the last one the fastest. */
export const cellOf = (table: CodedTable, by: readonly number[], row: number): number =>
  by.reduce((cell, column) => cell * (table.sizes[column] ?? 1) + codeAt(table, row, column), 0);

/** The keys of a cell. */
export const keysOf = (
  { sizes }: Pick<CodedTable, 'sizes'>,
  by: readonly number[],
  cell: number,
): readonly number[] => {
  let left = cell;
  const keys = by.toReversed().map((column) => {
    const size = sizes[column] ?? 1;
    const key = left % size;
    left = Math.floor(left / size);
    return key;
  });
  return keys.toReversed();
};

/** For each cell, the sum of a value over the rows that pass. */
export const sumsBy = (
  table: CodedTable,
  by: readonly number[],
  test: RowTest,
  valueOf: (row: number) => number,
): number[] => {
  const sums = new Array<number>(cellsOf(table, by)).fill(0);
  for (let row = 0; row < rowsOf(table); row += 1) {
    if (!test(row)) continue;
    const cell = cellOf(table, by, row);
    sums[cell] = (sums[cell] ?? 0) + valueOf(row);
  }
  return sums;
};

export const countsBy = (
  table: CodedTable,
  by: readonly number[],
  test: RowTest = () => true,
): number[] => sumsBy(table, by, test, () => 1);
