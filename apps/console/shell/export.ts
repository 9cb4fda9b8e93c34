/** The whole of a read, for a file: a list is read to its end. */
import { type ShownRead } from './answer.js';
import { ApiError } from './api.js';
import { type Address } from './routes.js';
import { read } from './session.js';

type Row = Readonly<Record<string, unknown>>;

/** The most rows of one file, so that an export ends. */
export const EXPORT_ROWS_MAX = 10_000;

export interface Exported {
  /** With all rows where it is a list. */
  readonly answer: object;
  /** Empty: the answer is no list. */
  readonly rows: readonly Row[];
  /** Whether the list has more rows. */
  readonly isCut: boolean;
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one list of objects of an answer, by its name. Null: it has none, or several. */
export const rowsIn = (answer: object): readonly [name: string, rows: readonly Row[]] | null => {
  const lists = Object.entries(answer).filter(
    (entry): entry is [string, readonly Row[]] => Array.isArray(entry[1]) && entry[1].every(isRow),
  );
  const [first, ...others] = lists;
  return first && others.length === 0 ? first : null;
};

/** The route of the next page of a list; null: there is none. */
export const nextRoute = (route: string, answer: object): Address | null => {
  const { next_after: after, page, total_pages: pages } = answer as Row;
  if (typeof after === 'string') return withFields(route, { after });
  if (typeof page !== 'number' || typeof pages !== 'number' || page >= pages) return null;
  return withFields(route, { page: String(page + 1) });
};

/** A route with other fields in its query. An empty field is left out. */
const withFields = (route: string, fields: Readonly<Record<string, string>>): Address => {
  const url = new URL(route, 'http://gateway');
  for (const [name, value] of Object.entries(fields)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return (url.pathname + url.search) as Address;
};

/** Reads a shown list from its first page on, at its position. @throws ApiError */
export const wholeAnswer = async ({ route, answer, position }: ShownRead): Promise<Exported> => {
  const found = answer && rowsIn(answer);
  if (!found) return { answer: answer ?? {}, rows: [], isCut: false };
  const first = withFields(route, { after: '', page: '' });
  const all = await (position === null
    ? rowsFrom(first)
    : rowsFrom(withFields(first, { asOf: position })).catch((error: unknown) => {
        // The route answers for the present alone.
        if (error instanceof ApiError && error.param === 'asOf') return rowsFrom(first);
        throw error;
      }));
  return { answer: { ...answer, [found[0]]: all.rows }, ...all };
};

const rowsFrom = async (first: Address): Promise<Omit<Exported, 'answer'>> => {
  const { signal } = new AbortController();
  const rows: Row[] = [];
  let next: Address | null = first;
  while (next !== null && rows.length < EXPORT_ROWS_MAX) {
    const page: object = await read(next, signal);
    rows.push(...(rowsIn(page)?.[1] ?? []));
    next = nextRoute(next, page);
  }
  const isCut = next !== null || rows.length > EXPORT_ROWS_MAX;
  return { rows: rows.slice(0, EXPORT_ROWS_MAX), isCut };
};

/** A table program takes a text that begins like a formula for one; a number is none. */
const FORMULA = /^(?!-?\d+(\.\d+)?$)[=+\-@\t]/;

const fieldOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** RFC 4180, with the fields of all rows. Objects and lists are JSON in their field. */
export const csvOf = (rows: readonly Row[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => fieldOf(row[name])));
  return [names.map(fieldOf), ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
};
