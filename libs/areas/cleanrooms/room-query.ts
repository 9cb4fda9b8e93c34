import { createHash } from 'node:crypto';
import { type Column, type PrivacyCharge } from '#events/cleanrooms/cleanroom.events.js';
import { fractionText, type Rational, rational } from '#platform/kernel/rational.js';
import { type RoomRecord, type RoomSchema } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import {
  ACCOUNTANT_VERSION,
  CELLS_MAX,
  type Condition,
  epsilonOf,
  type Grid,
  planOf,
  type PrivacyQuery,
  rhoOfPure,
  SENSITIVITY_MAX,
  type Spending,
} from './privacy.engine.js';
import { codeOf, decimal, sizeOf } from './room-table.js';

export const AGGREGATES = [
  'count',
  'sum',
  'mean',
  'histogram',
  'quantile',
  'top_k',
  'synthesize',
] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export interface AskedCondition {
  readonly column: string;
  readonly in?: readonly unknown[] | undefined;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** A query by the names and values of the schema. */
export interface AskedQuery {
  readonly aggregate: Aggregate;
  readonly column?: string | undefined;
  readonly groupBy: readonly string[];
  readonly where: readonly AskedCondition[];
  readonly quantile?: number | undefined;
  readonly k?: number | undefined;
  readonly rows?: number | undefined;
  /** Decimals; exactly one of the two. */
  readonly epsilon?: string | undefined;
  readonly rho?: string | undefined;
}

const fault = (field: string, expected: string): never =>
  reject('cleanroom_query_invalid', `${field}: expected ${expected}`);

const indexOf = ({ columns }: RoomSchema, field: string, name: string | undefined): number => {
  const index = columns.findIndex((column) => column.name === name);
  return index < 0 ? fault(field, `one of ${columns.map((one) => one.name).join(', ')}`) : index;
};

const codeIn = (column: Column | undefined, field: string, value: unknown): number =>
  (column && codeOf(column, value)) ?? fault(field, 'a value of the column');

const conditionOf = (schema: RoomSchema, asked: AskedCondition, at: number): Condition => {
  const path = `where[${at}]`;
  const index = indexOf(schema, `${path}.column`, asked.column);
  const column = schema.columns[index];
  if (asked.in) {
    if (asked.from != null || asked.to != null) fault(path, 'in, or from and to');
    const codes = asked.in.map((value, item) => codeIn(column, `${path}.in[${item}]`, value));
    return { column: index, codes: [...new Set(codes)].toSorted((one, other) => one - other) };
  }
  if (column?.kind !== 'number') return fault(`${path}.in`, 'values of the category');
  const from = codeIn(column, `${path}.from`, asked.from ?? Number(column.minimum));
  const to = codeIn(column, `${path}.to`, asked.to ?? Number(column.maximum));
  return { column: index, from, to };
};

/** The greatest grid that has the minimum and the step of a column. */
export const gridOf = (column: Extract<Column, { readonly kind: 'number' }>) => {
  const [minimum, step] = [decimal(column.minimum), decimal(column.step)];
  let [one, other] = [
    minimum.abs().numerator * step.denominator,
    step.numerator * minimum.denominator,
  ];
  while (other !== 0n) [one, other] = [other, one % other];
  const unit = rational(one, minimum.denominator * step.denominator);
  const grid: Grid = {
    offset: Number(minimum.over(unit).numerator),
    factor: Number(step.over(unit).numerator),
  };
  return { unit, grid };
};

const numberColumn = (schema: RoomSchema, name: string | undefined) => {
  const index = indexOf(schema, 'column', name);
  const column = schema.columns[index];
  if (column?.kind !== 'number') return fault('column', 'a number column');
  return { index, column };
};

/** A column whose values are counted one by one. */
const listedColumn = (schema: RoomSchema, name: string | undefined): number => {
  const index = indexOf(schema, 'column', name);
  const column = schema.columns[index];
  if (!column || sizeOf(column) > CELLS_MAX) {
    return fault('column', `a column of at most ${CELLS_MAX} values`);
  }
  return index;
};

/** @throws DomainError `cleanroom_query_invalid` that names the field */
export const queryOf = (schema: RoomSchema, asked: AskedQuery): PrivacyQuery => {
  rejectForeignFields(asked);
  const sizes = schema.columns.map(sizeOf);
  const where = asked.where
    .map((condition, at) => conditionOf(schema, condition, at))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  const groups = asked.groupBy.map((name, at) => indexOf(schema, `group_by[${at}]`, name));
  if (new Set(groups).size < groups.length) fault('group_by', 'different columns');
  const by = asked.aggregate === 'histogram' ? [listedColumn(schema, asked.column)] : groups;
  if (by.reduce((cells, index) => cells * (sizes[index] ?? 1), 1) > CELLS_MAX) {
    fault('group_by', `columns with at most ${CELLS_MAX} combinations of values`);
  }
  switch (asked.aggregate) {
    case 'count':
    case 'histogram':
      return { kind: 'count', where, by };
    case 'sum': {
      const { index, column } = numberColumn(schema, asked.column);
      const query = { kind: 'sum', where, by, column: index, grid: gridOf(column).grid } as const;
      const { sensitivity } = planOf(query, 'epsilon', sizes);
      if (sensitivity > SENSITIVITY_MAX) fault('column', 'a column with fewer steps from 0');
      return query;
    }
    case 'mean':
      return { kind: 'mean', where, by, column: numberColumn(schema, asked.column).index };
    case 'quantile': {
      const permille = Math.round((asked.quantile ?? 0) * 1_000);
      if (permille < 1 || permille > 999) fault('quantile', 'a number from 0.001 to 0.999');
      numberColumn(schema, asked.column);
      return { kind: 'quantile', where, column: listedColumn(schema, asked.column), permille };
    }
    case 'top_k': {
      const column = listedColumn(schema, asked.column);
      const k = asked.k ?? fault('k', 'the number of values');
      if (k > (sizes[column] ?? 0)) fault('k', `at most ${sizes[column]}`);
      return { kind: 'top_k', where, column, k };
    }
    case 'synthesize':
      return { kind: 'synthesize', rows: asked.rows ?? fault('rows', 'the number of rows') };
  }
};

const FIELDS: Readonly<Record<Aggregate, readonly string[]>> = {
  count: ['group_by', 'where'],
  sum: ['column', 'group_by', 'where'],
  mean: ['column', 'group_by', 'where'],
  histogram: ['column', 'where'],
  quantile: ['column', 'where', 'quantile'],
  top_k: ['column', 'where', 'k'],
  synthesize: ['rows'],
};

/** A field that the aggregate does not read would be ignored silently. */
const rejectForeignFields = ({ aggregate, ...asked }: AskedQuery): void => {
  const given = {
    column: asked.column !== undefined,
    group_by: asked.groupBy.length > 0,
    where: asked.where.length > 0,
    quantile: asked.quantile !== undefined,
    k: asked.k !== undefined,
    rows: asked.rows !== undefined,
  };
  const foreign = Object.entries(given).find(
    ([field, isGiven]) => isGiven && !FIELDS[aggregate].includes(field),
  );
  if (foreign) fault(foreign[0], `no such field with ${aggregate}`);
};

/** @throws DomainError `cleanroom_query_invalid` */
export const spendingOf = (room: RoomRecord, { epsilon, rho }: AskedQuery): Spending => {
  if (rho !== undefined && room.rule === 'pure') fault('rho', 'epsilon in a room of the rule pure');
  if ((epsilon === undefined) === (rho === undefined)) {
    fault(room.rule === 'pure' ? 'epsilon' : 'rho', 'the amount that the answer may spend');
  }
  const unit = epsilon === undefined ? 'rho' : 'epsilon';
  const amount = decimal(epsilon ?? rho ?? '0');
  if (amount.compare(rational(0n)) <= 0) fault(unit, 'a number above 0');
  return { unit, amount: fractionText(amount) };
};

/** The charge of a query, which depends on the schema and on no row. */
export const chargeOf = (
  room: RoomRecord,
  query: PrivacyQuery,
  { unit, amount }: Spending,
): PrivacyCharge => {
  const sizes = room.schema?.columns.map(sizeOf) ?? [];
  const { mechanism, sensitivity } = planOf(query, unit, sizes);
  const [top = '0', bottom = '1'] = amount.split('/');
  const spent = rational(BigInt(top), BigInt(bottom));
  const isPure = unit === 'epsilon';
  const cost: Rational = isPure && room.rule === 'zcdp' ? rhoOfPure(spent) : spent;
  const epsilon = isPure ? spent : epsilonOf(spent, decimal(room.totalDelta));
  const hashed = JSON.stringify({ query, unit, amount, rowsVersion: room.rowsVersion });
  return {
    mechanism,
    sensitivity: String(sensitivity),
    epsilon: fractionText(epsilon),
    delta: isPure ? '0' : room.totalDelta,
    cost: fractionText(cost),
    queryHash: createHash('sha256').update(hashed).digest('hex'),
    accountantVersion: ACCOUNTANT_VERSION,
  };
};
