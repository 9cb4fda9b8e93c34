/** Primary result codes: https://www.sqlite.org/rescode.html */
export const SQLITE_CODE = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** The low byte of an extended code is its primary code. */
const PRIMARY = 0xff;

interface SqliteFailure {
  readonly errcode: number;
  readonly message: string;
}

/** By shape: an error of another realm, as under a test runner, is not an `instanceof Error`. */
export const isSqliteFailure = (error: unknown): error is SqliteFailure =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number';

/** The primary result code of an error of `node:sqlite`, or null for any other error. */
export const sqliteCodeOf = (error: unknown): number | null =>
  isSqliteFailure(error) ? error.errcode & PRIMARY : null;

/**
 * Runs a statement that may have failed before. SQLite reports a failure once more when a statement
 * is used again, so the first failure proves nothing.
 */
export const afterFailure = <Result>(run: () => Result): Result => {
  try {
    return run();
  } catch {
    return run();
  }
};
