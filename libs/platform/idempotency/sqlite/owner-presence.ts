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
 * Shows who is there. Each owner keeps an exclusive SQLite lock on an empty file of its own for as
 * long as it lives; the kernel gives the lock back when the process ends, however it ends. So a
 * lock that can be had belongs to somebody who is gone. Process ids could not tell: they are given
 * out again, and mean nothing between containers.
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

  /** Takes an id that no one had before, and clears away the files of those who are gone. */
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
    // Removed before the lock is let go: Windows alone would refuse, and keeps an empty file then.
    rmSync(file, { force: true });
    remains.close();
    return true;
  }

  release(): void {
    this.#lock.close();
    rmSync(path.join(this.#folder, this.id), { force: true });
  }
}
