import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const BUSY_TIMEOUT_MS = 10_000;

/**
 * Copies a database as it is at one moment, while other processes write it, and without a journal.
 * The online backup API (`backup` of `node:sqlite`) begins again whenever another process writes,
 * so on a busy log it would not end. `VACUUM INTO` reads in one transaction, and leaves no content
 * of free pages in the copy.
 * @param to is created for its owner
 */
export const copySqliteFile = (from: string, to: string): void => {
  // VACUUM writes into an empty file, and would create it with the mode that the umask leaves.
  closeSync(openSync(to, 'wx', 0o600));
  const database = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
  // VACUUM INTO does not wait for the disk.
  syncFile(to);
};

export const syncFile = (file: string): void => {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
