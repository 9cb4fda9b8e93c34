import { type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type EventFilter } from '../event-store.port.js';
import { rangesOf } from './log-filter.js';
import { LIMIT, PAGE_COLUMNS, type PageRow } from './stored-rows.js';

const JOIN = 'CROSS JOIN streams ON streams.id = events.stream_id';
const EVERY_STREAM = { ranges: 'TRUE', parameters: [] } as const;
/** The plus keeps SQLite from the index of types: a page is a walk over the log in its order. */
const IN_LIST = '+events.type IN (SELECT value FROM json_each(?))';

/** Prepares a statement that returns arrays, or finds the one that was prepared before. */
export type Prepare = (sql: string) => StatementSync;

/** Reads up to `count` rows that pass a filter, behind `after` and up to `end`. */
export type ReadRows = (after: number, end: number, count: number) => PageRow;

/** A page, and the number of the last word when it was read. */
type CountedPage = readonly [...PageRow, words: number];

/** A reader of pages of the rows that pass a filter. */
export const filteredPages = (prepare: Prepare, filter: EventFilter | undefined): ReadRows => {
  if (filter?.by === 'type') return pagesOfTypes(prepare, filter);
  const { ranges, parameters } = filter ? rangesOf(filter) : EVERY_STREAM;
  const read = preparePage(prepare, filter ? JOIN : '', ranges);
  return (after, end, count) => {
    const [bodies, columns] = read(after, end, parameters, count);
    return [bodies, columns];
  };
};

const pagesOfTypes = (prepare: Prepare, filter: EventFilter): ReadRows => {
  const types = new TypeNumbers(prepare, filter);
  const read = preparePage(prepare, '', IN_LIST);
  return (after, end, count) => {
    for (;;) {
      const [bodies, columns, words] = read(after, end, [types.list], count);
      if (words === types.words) return [bodies, columns];
      types.read();
    }
  };
};

type ReadPage = (
  after: number,
  end: number,
  parameters: readonly SQLInputValue[],
  count: number,
) => CountedPage;

/** @param condition of the rows, which takes the parameters of a page */
const preparePage = (prepare: Prepare, join: string, condition: string): ReadPage => {
  const page = prepare(
    `SELECT ${PAGE_COLUMNS}, coalesce((SELECT max(id) FROM words), 0) FROM
      (SELECT events.* FROM events ${join}
        WHERE events.position > ? AND events.position <= ? AND (${condition})
        ORDER BY events.position ${LIMIT})`,
  );
  return (after, end, parameters, count) =>
    page.get(after, end, ...parameters, count) as unknown as CountedPage;
};

/**
 * The numbers of the types that pass a filter. A page compares numbers: to compare names for each
 * page takes as long as to read it. They are read again when there are words that are newer.
 */
class TypeNumbers {
  /** As a list in JSON. */
  list = '[]';
  /** The last word that was looked at. */
  words = 0;
  readonly #read: StatementSync;
  readonly #parameters: readonly string[];

  constructor(prepare: Prepare, filter: EventFilter) {
    const { ranges, parameters } = rangesOf(filter);
    this.#parameters = parameters;
    this.#read = prepare(
      `SELECT coalesce((SELECT max(id) FROM words), 0), json_group_array(id)
         FROM words WHERE ${ranges}`,
    );
    this.read();
  }

  read(): void {
    const row: unknown = this.#read.get(...this.#parameters);
    [this.words, this.list] = row as [number, string];
  }
}
