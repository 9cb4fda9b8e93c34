import { setTimeout as sleep } from 'node:timers/promises';
import { ReadStoreError } from '../read-store.errors.js';
import { unreadable } from './read-store.schema.js';

/** Primary result codes of SQLite: https://www.sqlite.org/rescode.html */
const BUSY = 5;
const UNREADABLE: ReadonlyMap<number, string> = new Map([
  [11, 'is damaged'],
  [26, 'is not a SQLite file'],
]);
/** READONLY, IOERR, FULL, CANTOPEN. */
const UNAVAILABLE: ReadonlySet<number> = new Set([8, 10, 13, 14]);

const BUSY_MS_MAX = 5_000;
const PAUSE_FIRST_MS = 1;
const PAUSE_LAST_MS = 16;

interface SqliteFailure {
  readonly errcode: number;
  readonly message: string;
}

/** By shape: an error of another realm, as under a test runner, is not an `instanceof Error`. */
const isSqliteFailure = (error: unknown): error is SqliteFailure =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number';

const isBusy = (error: unknown): boolean =>
  isSqliteFailure(error) && (error.errcode & 0xff) === BUSY;

/**
 * Runs an operation, at once where it can. While another connection holds the lock it waits without
 * holding up the thread, which SQLite's own busy time-out would.
 * @throws ReadStoreError `store-unavailable` after 5 s; what else SQLite says in its terms
 */
export const whenFree = async <Result>(file: string, operation: () => Result): Promise<Result> => {
  let waitedMs = 0;
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_LAST_MS)) {
    try {
      return operation();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_MS_MAX) {
        throw asReadStoreError(file, error);
      }
    }
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
};

/** What is no refusal of the store stays as it is: a defect. */
const asReadStoreError = (file: string, error: unknown): unknown => {
  if (!isSqliteFailure(error)) return error;
  const code = error.errcode & 0xff;
  const what = UNREADABLE.get(code);
  if (what !== undefined) return unreadable(file, what, error);
  if (code !== BUSY && !UNAVAILABLE.has(code)) return error;
  return new ReadStoreError('store-unavailable', `${file}: ${error.message}`, { cause: error });
};
