import { DatabaseSync } from 'node:sqlite';
import { isSqliteFailure } from './sqlite-codes.js';

const BUSY_TIMEOUT_MS = 10_000;
/** Of one file. */
const FAULTS_MAX = 100;

/**
 * Checks the pages of a database, which other processes may write: `quick` the structure of every
 * tree and list of pages, `full` also that the indexes have what their tables have. Neither reads
 * what is left in unused pages, where no row is.
 * @returns what SQLite finds wrong, in its words
 */
export const checkSqliteFile = (file: string, depth: 'quick' | 'full'): readonly string[] => {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
      const rows = database.prepare(`PRAGMA ${pragma}(${FAULTS_MAX})`).all();
      return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isSqliteFailure(error)) throw error;
    return [error.message];
  }
};
