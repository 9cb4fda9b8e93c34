import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import { type Rational, rational } from '#platform/kernel/rational.js';
import { type RoomSchema } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';

/** Of one contribution. */
export const CONTRIBUTION_ROWS_MAX = 100_000;
/** The values of a column; codes are 32-bit integers. */
export const COLUMN_SIZE_MAX = 2 ** 31;

/** A row as the indices of its values in the domains of the columns, in their order. */
export type CodedRow = readonly number[];

export const decimal = (text: string): Rational => {
  const isNegative = text.startsWith('-');
  const value = rational.parse(isNegative ? text.slice(1) : text, 0);
  return isNegative ? value.negated() : value;
};

/** How many values a column has. */
export const sizeOf = (column: Column): number => {
  if (column.kind === 'category') return column.values.length;
  const { minimum, maximum, step } = column;
  const steps = decimal(maximum).plus(decimal(minimum).negated()).over(decimal(step));
  return Number(steps.numerator / steps.denominator) + 1;
};

/** The value at an index of the domain. */
export const valueAt = (column: Column, code: number): string | number => {
  if (column.kind === 'category') return column.values[code] ?? '';
  const { minimum, step } = column;
  return decimal(minimum)
    .plus(decimal(step).times(rational(BigInt(code))))
    .toNumber();
};

/** @throws DomainError `cleanroom_schema_invalid` that names the column */
export const checkColumns = (columns: readonly Column[]): void => {
  const names = new Set<string>();
  for (const [at, column] of columns.entries()) {
    const path = `columns[${at}]`;
    if (names.has(column.name)) {
      reject('cleanroom_schema_invalid', `${path}.name: expected a name of its own`);
    }
    names.add(column.name);
    if (column.kind === 'category') checkValues(path, column.values);
    else checkGrid(path, column);
  }
};

const checkValues = (path: string, values: readonly string[]): void => {
  if (new Set(values).size === values.length) return;
  reject('cleanroom_schema_invalid', `${path}.values: expected different values`);
};

const checkGrid = (path: string, column: Extract<Column, { readonly kind: 'number' }>): void => {
  const [minimum, maximum, step] = [column.minimum, column.maximum, column.step].map(decimal);
  if (!minimum || !maximum || !step) return;
  if (step.numerator <= 0n) {
    reject('cleanroom_schema_invalid', `${path}.step: expected a number above 0`);
  }
  const steps = maximum.plus(minimum.negated()).over(step);
  if (steps.numerator < 0n || steps.denominator !== 1n) {
    const detail = `${path}.maximum: expected minimum and a whole number of steps`;
    reject('cleanroom_schema_invalid', detail);
  }
  if (steps.numerator >= BigInt(COLUMN_SIZE_MAX)) {
    const detail = `${path}.step: expected at most ${COLUMN_SIZE_MAX} values`;
    reject('cleanroom_schema_invalid', detail);
  }
};

/**
 * Rows as the codes of their values.
 * @param rows arrays of values in the order of the columns
 * @throws DomainError `cleanroom_rows_invalid` that names the row and the column, never the value
 */
export const codedRows = ({ columns }: RoomSchema, rows: unknown): readonly CodedRow[] => {
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > CONTRIBUTION_ROWS_MAX) {
    const detail = `rows: expected an array of 1 to ${CONTRIBUTION_ROWS_MAX} rows`;
    return reject('cleanroom_rows_invalid', detail);
  }
  const coders = columns.map(coderOf);
  return rows.map((row: unknown, at) => {
    if (!Array.isArray(row) || row.length !== columns.length) {
      const detail = `rows[${at}]: expected an array of ${columns.length} values`;
      return reject('cleanroom_rows_invalid', detail);
    }
    return coders.map((code, index) => {
      const found = code(row[index]);
      if (found !== undefined) return found;
      const expected = expectedOf(columns[index]);
      const name = `rows[${at}].${columns[index]?.name}`;
      return reject('cleanroom_rows_invalid', `${name}: expected ${expected}`);
    });
  });
};

/** The code of one value; undefined outside the domain. */
export const codeOf = (column: Column, value: unknown): number | undefined =>
  coderOf(column)(value);

const expectedOf = (column: Column | undefined): string =>
  column?.kind === 'number'
    ? `a number from ${column.minimum} to ${column.maximum} in steps of ${column.step}`
    : 'one of the values of the column';

const coderOf = (column: Column): ((value: unknown) => number | undefined) => {
  if (column.kind === 'category') {
    const codes = new Map<unknown, number>(column.values.map((value, code) => [value, code]));
    return (value) => codes.get(value);
  }
  const minimum = decimal(column.minimum).negated();
  const step = decimal(column.step);
  const size = sizeOf(column);
  return (value) => {
    if (typeof value !== 'number' || !PLAIN.test(String(value))) return undefined;
    const steps = decimal(String(value)).plus(minimum).over(step);
    if (steps.denominator !== 1n) return undefined;
    const code = Number(steps.numerator);
    return code >= 0 && code < size ? code : undefined;
  };
};

/** A number without an exponent: the shortest text of a double is the decimal that was meant. */
const PLAIN = /^-?\d{1,16}(\.\d{1,16})?$/;
