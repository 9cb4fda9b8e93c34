import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Primary result code of SQLite: https://www.sqlite.org/rescode.html */
const BUSY = 5;

const isBusy = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === BUSY;

/** @returns the lock, or null while another holds it */
const lock = (file: string): DatabaseSync | null => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written: a journal would be but a second file to clear away.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
};

/**
 * Shows which processes are alive. Each owner keeps an exclusive SQLite lock on an empty file of
 * its own; the kernel releases the lock when the process ends, however it ends. A lock that can be
 * taken therefore belongs to a process that is gone. Process ids are not enough: they are reused,
 * and mean nothing between containers.
 */
export class OwnerPresence {
  readonly #folder: string;
  readonly #lock: DatabaseSync;

  private constructor(
    folder: string,
    readonly id: string,
    held: DatabaseSync,
  ) {
    this.#folder = folder;
    this.#lock = held;
  }

  /** Takes a new id, and removes the files of owners that are gone. */
  static claim(folder: string): OwnerPresence {
    mkdirSync(folder, { recursive: true });
    for (;;) {
      const id = randomUUID();
      const held = lock(path.join(folder, id));
      if (!held) continue;
      const presence = new OwnerPresence(folder, id, held);
      for (const owner of readdirSync(folder)) if (owner !== id) presence.isGone(owner);
      // Between its making and its locking, another may have cleared this file away like that.
      if (!presence.isGone(id)) return presence;
      held.close();
    }
  }

  isGone(owner: string): boolean {
    const file = path.join(this.#folder, owner);
    const remains = lock(file);
    if (!remains) return false;
    // Removed before the lock is let go: Windows alone would reject, and keeps an empty file then.
    rmSync(file, { force: true });
    remains.close();
    return true;
  }

  release(): void {
    this.#lock.close();
    rmSync(path.join(this.#folder, this.id), { force: true });
  }
}
