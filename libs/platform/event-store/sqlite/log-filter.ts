/** A filter as SQL: of the columns `streams.name`, `words.text` and `events.type`. */
import { type EventFilter } from '../event-store.port.js';

/** Sorts behind every character that a stream name or an event type may have. */
const BEHIND_ALL = '\x7f';

interface Ranges {
  readonly ranges: string;
  readonly parameters: readonly string[];
}

/** Compares names, so no JSON is looked at. */
export const rangesOf = ({ by, prefixes }: EventFilter): Ranges => {
  const column = by === 'stream' ? 'streams.name' : 'words.text';
  return {
    ranges: prefixes.map(() => `(${column} >= ? AND ${column} < ?)`).join(' OR '),
    parameters: prefixes.flatMap((prefix) => [prefix, prefix + BEHIND_ALL]),
  };
};

/**
 * By type, its one parameter is the numbers of the types, as a list in JSON. The plus keeps SQLite
 * from the index of types: a page is a walk over the log in its order.
 */
export const conditionOf = (
  filter: EventFilter | undefined,
): { condition: string; parameters: readonly string[] } => {
  if (filter === undefined) return { condition: '', parameters: [] };
  const { ranges, parameters } = rangesOf(filter);
  const condition =
    filter.by === 'stream'
      ? `AND (${ranges})`
      : `AND +events.type IN (SELECT value FROM json_each(?))`;
  return { condition, parameters };
};
