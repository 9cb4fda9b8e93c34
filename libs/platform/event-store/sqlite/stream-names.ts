import { type DatabaseSync, type StatementSync } from 'node:sqlite';

const NAMES_MAX = 100_000;

/** The names of streams by their numbers: a look-up for each row would cost more than the map. */
export class StreamNames {
  readonly #names = new Map<number, string>();
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare('SELECT name FROM streams WHERE id = ?');
  }

  /** Undefined for a stream that is gone. */
  of(streamId: number): string | undefined {
    const known = this.#names.get(streamId);
    if (known !== undefined) return known;
    const name = this.#find.get(streamId)?.['name'];
    if (typeof name !== 'string') return undefined;
    if (this.#names.size >= NAMES_MAX) this.#names.clear();
    this.#names.set(streamId, name);
    return name;
  }
}
