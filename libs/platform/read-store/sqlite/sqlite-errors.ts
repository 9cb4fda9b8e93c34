import { setTimeout as sleep } from 'node:timers/promises';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { SQLITE_CODE, sqliteCodeOf } from '#platform/sqlite/sqlite-codes.js';
import { ReadStoreError } from '../read-store.errors.js';
import { unreadable } from './read-store.schema.js';

const UNREADABLE: ReadonlyMap<number, string> = new Map([
  [SQLITE_CODE.corrupt, 'is damaged'],
  [SQLITE_CODE.notADatabase, 'is not a SQLite file'],
]);
const UNAVAILABLE: ReadonlySet<number> = new Set([
  SQLITE_CODE.busy,
  SQLITE_CODE.readOnly,
  SQLITE_CODE.ioError,
  SQLITE_CODE.full,
  SQLITE_CODE.cannotOpen,
]);

const BUSY_MS_MAX = 5_000;
const PAUSES: BackOff = { firstMs: 1, maxMs: 16 };

const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_CODE.busy;

/**
 * Runs an operation, at once where it can. While another connection holds the lock it waits without
 * holding up the thread, which SQLite's own busy time-out would.
 * @throws ReadStoreError `store-unavailable` after 5 s; what else SQLite says in its terms
 */
export const whenFree = async <Result>(file: string, operation: () => Result): Promise<Result> => {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return operation();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_MS_MAX) {
        throw asReadStoreError(file, error);
      }
    }
    const pauseMs = backOffMs(PAUSES, attempt);
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
};

/** An error that is not SQLite's, or not about the file, stays as it is: a defect. */
const asReadStoreError = (file: string, error: unknown): unknown => {
  const code = sqliteCodeOf(error);
  if (code === null) return error;
  const what = UNREADABLE.get(code);
  if (what !== undefined) return unreadable(file, what, error);
  if (!UNAVAILABLE.has(code)) return error;
  const { message } = error as Error;
  return new ReadStoreError('store-unavailable', `${file}: ${message}`, { cause: error });
};
