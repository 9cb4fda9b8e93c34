/** A filter as SQL: of the columns `streams.name` and `words.text`. */
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
