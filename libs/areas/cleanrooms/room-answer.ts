import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import { type Rational, rational } from '#platform/kernel/rational.js';
import { type RoomSchema } from '#projections/cleanrooms/cleanrooms.projection.js';
import { type AnswerCell, type PrivacyAnswer, type PrivacyQuery } from './privacy.engine.js';
import { gridOf } from './room-query.js';
import { decimal, sizeOf, valueAt } from './room-table.js';

type Value = string | number;

/** A value, and the interval that has the exact one with a probability of 95 %. */
export interface AnsweredCell {
  readonly group: Readonly<Record<string, Value>>;
  readonly value: number;
  readonly interval: readonly [number, number];
}

/** A noisy answer in the names and values of the schema. Nothing else of the rows is in it. */
export type RoomAnswer =
  | { readonly kind: 'cells'; readonly cells: readonly AnsweredCell[] }
  | { readonly kind: 'values'; readonly values: readonly Value[]; readonly error: number }
  | {
      readonly kind: 'table';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Value[])[];
      readonly pairs: readonly (readonly [string, string])[];
      readonly columnError: number;
      readonly pairError: number;
    };

export const answerOf = (
  { columns }: RoomSchema,
  query: PrivacyQuery,
  answer: PrivacyAnswer,
): RoomAnswer => {
  const nameOf = (column: number): string => columns[column]?.name ?? '';
  const valueOf = (column: number, code: number): Value => {
    const found = columns[column];
    return found ? valueAt(found, code) : '';
  };
  switch (answer.kind) {
    case 'codes': {
      const column = 'column' in query ? query.column : 0;
      const values = answer.codes.map((code) => valueOf(column, code));
      return { kind: 'values', values, error: answer.error };
    }
    case 'table':
      return {
        kind: 'table',
        columns: columns.map(({ name }) => name),
        rows: answer.rows.map((row) => row.map((code, column) => valueOf(column, code))),
        pairs: answer.pairs.map(([one, other]) => [nameOf(one), nameOf(other)] as const),
        columnError: answer.error.column,
        pairError: answer.error.pair,
      };
    case 'cells': {
      const by = 'by' in query ? query.by : [];
      const measured = measureOf(columns, query);
      const cells = answer.cells.map((cell) => ({
        group: Object.fromEntries(
          by.map((column, at) => [nameOf(column), valueOf(column, cell.keys[at] ?? 0)]),
        ),
        ...measured(cell),
      }));
      return { kind: 'cells', cells };
    }
  }
};

type Measured = Pick<AnsweredCell, 'value' | 'interval'>;

const measureOf = (
  columns: readonly Column[],
  query: PrivacyQuery,
): ((cell: AnswerCell) => Measured) => {
  const column = 'column' in query ? columns[query.column] : undefined;
  if (column?.kind === 'number' && query.kind === 'mean') return (cell) => meanOf(column, cell);
  const unit = column?.kind === 'number' && query.kind === 'sum' ? gridOf(column).unit : ONE;
  return ({ values: [noisy] }) => {
    const { value = 0, error = 0 } = noisy ?? {};
    const inUnits = (number: number): number => rational(BigInt(number)).times(unit).toNumber();
    return { value: inUnits(value), interval: [inUnits(value - error), inUnits(value + error)] };
  };
};

const ONE: Rational = rational(1n);

/**
 * The sum of the distances from the middle, in half steps, over the count. The interval has both
 * errors at their worst, each with 97.5 %, and ends with the domain.
 */
const meanOf = (
  column: Extract<Column, { readonly kind: 'number' }>,
  { values: [sum, count] }: AnswerCell,
): Measured => {
  const least = Number(column.minimum);
  const greatest = Number(column.maximum);
  const half = decimal(column.step).toNumber() / 2;
  const middle = least + half * (sizeOf(column) - 1);
  const at = (total: number, rows: number): number =>
    Math.min(greatest, Math.max(least, middle + (half * total) / Math.max(1, rows)));
  const { value: total = 0, error: totalError = 0 } = sum ?? {};
  const { value: rows = 0, error: rowsError = 0 } = count ?? {};
  const ends = [total - totalError, total + totalError].flatMap((end) => [
    at(end, rows - rowsError),
    at(end, rows + rowsError),
  ]);
  return { value: at(total, rows), interval: [Math.min(...ends), Math.max(...ends)] };
};
