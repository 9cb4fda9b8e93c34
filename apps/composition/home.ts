import { chmod, mkdtemp, open, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { type Settings } from './settings.js';

/** Only the owner of a file may use it. */
const OWNER_ONLY_FILE = 0o600;
const OTHERS = 0o077;

/** The files of a home besides the files of the stores: their writers create them for the owner. */
const OTHER_FILES = ['answers.db', 'audit.db', 'subject-keys.db', 'master.key', 'bootstrap.json'];

/**
 * Creates the folder of a process and its files of data, which only their owner may read. SQLite
 * gives the files beside a database (`-wal`, `-shm`) the mode of the database.
 * @throws Error if the folder cannot be written
 */
export const prepareHome = async ({ home, eventStore, readStore }: Settings): Promise<void> => {
  await createFolder(home);
  await rmdir(await mkdtemp(path.join(home, '.writable-')));
  for (const store of [eventStore, readStore]) {
    if (store.kind === 'sqlite') await createForOwner(store.file);
  }
  for (const file of OTHER_FILES) await keepToOwner(path.join(home, file));
};

const createForOwner = async (file: string): Promise<void> => {
  // A file that cannot be opened is reported by its store, with the name of its setting.
  await open(file, 'a', OWNER_ONLY_FILE).then(
    (created) => created.close(),
    () => undefined,
  );
  await keepToOwner(file);
};

/** Narrows the mode of files of an earlier version. The files of another user stay as they are. */
const keepToOwner = async (file: string): Promise<void> => {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    const found = await stat(one).catch(() => null);
    if (!found || (found.mode & OTHERS) === 0) continue;
    await chmod(one, found.mode & ~OTHERS).catch(() => undefined);
  }
};
