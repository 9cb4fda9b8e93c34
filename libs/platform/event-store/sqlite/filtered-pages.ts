import { type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type EventFilter } from '../event-store.port.js';
import { conditionOf, rangesOf } from './log-filter.js';
import { PAGE_COLUMNS, type PageRow } from './stored-rows.js';

const JOIN = 'CROSS JOIN streams ON streams.id = events.stream_id';

/** Prepares a statement that returns arrays, or finds the one that was prepared before. */
export type Prepare = (sql: string) => StatementSync;

/** Reads up to `count` rows that pass a filter, behind `after` and up to `end`. */
export type ReadRows = (after: number, end: number, count: number) => PageRow;

/** A page, and the number of the last word when it was read. */
type CountedPage = readonly [...PageRow, words: number];

/** A reader of pages of the rows that pass a filter. */
export const filteredPages = (prepare: Prepare, filter: EventFilter | undefined): ReadRows => {
  const { condition, parameters } = conditionOf(filter);
  const pages = prepare(
    `SELECT ${PAGE_COLUMNS}, coalesce((SELECT max(id) FROM words), 0) FROM
      (SELECT events.* FROM events ${filter?.by === 'stream' ? JOIN : ''}
        WHERE events.position > ? AND events.position <= ? ${condition}
        ORDER BY events.position LIMIT ?)`,
  );
  const read = (
    range: readonly [number, number],
    wanted: readonly SQLInputValue[],
    count: number,
  ) => pages.get(...range, ...wanted, count) as unknown as CountedPage;
  if (filter?.by !== 'type') {
    return (after, end, count) => {
      const [bodies, columns] = read([after, end], parameters, count);
      return [bodies, columns];
    };
  }
  const types = new TypeNumbers(prepare, filter);
  return (after, end, count) => {
    for (;;) {
      const [bodies, columns, words] = read([after, end], [types.list], count);
      if (words === types.words) return [bodies, columns];
      types.read();
    }
  };
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
