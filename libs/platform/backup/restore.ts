import { constants } from 'node:fs';
import { chmod, copyFile, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { type ObjectStore } from '#platform/blobs/object-store.port.js';
import { createFolder } from '#platform/files/create-folder.js';
import { syncFile } from '#platform/sqlite/sqlite-copy.js';
import { BackupError } from './backup.error.js';
import {
  BLOBS,
  CHECKSUMS,
  FILE_OF,
  MANIFEST,
  Manifest,
  type StoreFiles,
  type StoreName,
  STORES,
} from './backup.format.js';
import { type Checksum, readChecksums, sha256Of } from './checksums.js';
import { copyObject } from './object-copy.js';
import { type CheckedLog, checkStoredLog, type ReadNote } from './stored-log.check.js';

export interface RestoreTarget {
  readonly files: StoreFiles;
  readonly blobs: ObjectStore;
}

export interface RestoreOptions {
  readonly readNote: ReadNote;
  /** Called between two steps; what it throws ends the restore. */
  readonly onStep?: (step: string) => void;
}

/** @throws BackupError `not_a_backup` */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const file = path.join(folder, MANIFEST);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const reason = 'it is no backup, or the backup was interrupted';
    throw new BackupError('not_a_backup', `there is no ${file}: ${reason}`, { cause });
  });
  const parsed = Manifest.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
  throw new BackupError('not_a_backup', `${file}: ${issues.join('; ')}`);
};

/**
 * Puts the stores of a backup where the settings say, after each file and the whole log were
 * checked. It replaces nothing: where a store has a file, nothing is changed. Blobs are named by
 * their content, so existing ones stay. An interrupted restore can be repeated.
 * @throws BackupError; the errors of stores
 */
export const restore = async (
  folder: string,
  manifest: Manifest,
  target: RestoreTarget,
  { readNote, onStep = () => undefined }: RestoreOptions,
): Promise<CheckedLog | null> => {
  const places = await placesOf(manifest, target.files);
  const staged = new Map([...places].map(([store, file]) => [store, `${file}.restoring`]));
  try {
    onStep('files');
    await copyAll(folder, staged, target.blobs);
    onStep('checks');
    const checked = await check(manifest, staged, readNote);
    // The log comes last: until then there is no installation.
    for (const store of [...STORES.filter((one) => one !== 'log'), 'log'] as const) {
      const [from, to] = [staged.get(store), places.get(store)];
      if (from === undefined || to === undefined) continue;
      syncFile(from);
      await rename(from, to);
    }
    return checked;
  } finally {
    for (const file of [...staged.values()].flatMap(withJournals)) await rm(file, { force: true });
  }
};

/** @throws BackupError `other_stores`, `target_exists` */
const placesOf = async (
  { files: stores }: Manifest,
  files: StoreFiles,
): Promise<ReadonlyMap<StoreName, string>> => {
  const places = new Map<StoreName, string>();
  for (const store of stores) {
    const file = files[store];
    if (file === undefined) {
      const reason = 'and the settings name a server for it';
      throw new BackupError('other_stores', `the backup has ${FILE_OF[store]}, ${reason}`);
    }
    for (const there of withJournals(file)) {
      const size = await stat(there).then(
        (found) => found.size,
        () => 0,
      );
      if (size === 0) continue;
      const reason = 'stop the server and move it away: a restore replaces nothing';
      throw new BackupError('target_exists', `${there} exists: ${reason}`);
    }
    places.set(store, file);
  }
  return places;
};

/** A journal beside a database of the same name would be applied to it. */
const withJournals = (file: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal'].map((suffix) => `${file}${suffix}`);

const copyAll = async (
  folder: string,
  staged: ReadonlyMap<StoreName, string>,
  blobs: ObjectStore,
): Promise<void> => {
  const stored = new FileObjectStore(path.join(folder, BLOBS));
  const missing = new Set([...staged.keys()].map((store) => FILE_OF[store]));
  for await (const { sha256, name } of readChecksums(path.join(folder, CHECKSUMS))) {
    const store = STORES.find((one) => FILE_OF[one] === name);
    const to = store && staged.get(store);
    if (to !== undefined) {
      await copyChecked(path.join(folder, name), to, sha256);
      missing.delete(name);
    } else if (name.startsWith(`${BLOBS}/`)) {
      await copyBlob(stored, blobs, { sha256, name: name.slice(BLOBS.length + 1) });
    }
  }
  const [first] = missing;
  if (first !== undefined) {
    throw new BackupError('not_a_backup', `${CHECKSUMS} has no line for ${first}`);
  }
};

const copyChecked = async (from: string, to: string, sha256: string): Promise<void> => {
  await createFolder(path.dirname(to));
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_EXCL).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BackupError('backup_damaged', reason, { cause });
  });
  await chmod(to, 0o600);
  if ((await sha256Of(to)) !== sha256) throw damaged(from);
};

const copyBlob = async (
  from: ObjectStore,
  to: ObjectStore,
  { sha256, name }: Checksum,
): Promise<void> => {
  const known = await to.stat(name);
  if (known && known.bytes > 0) return;
  const copied = await copyObject(from, to, name);
  if (copied?.sha256 === sha256) return;
  await to.remove(name);
  throw damaged(name);
};

const damaged = (file: string): BackupError =>
  new BackupError('backup_damaged', `${file} is not as the backup wrote it (${CHECKSUMS})`);

const check = async (
  { log: stated }: Manifest,
  staged: ReadonlyMap<StoreName, string>,
  readNote: ReadNote,
): Promise<CheckedLog | null> => {
  const log = staged.get('log');
  if (log === undefined) return null;
  const checked = await checkStoredLog({ ...Object.fromEntries(staged), log }, readNote);
  const { events, root } = checked.log;
  if (events === stated?.events && root === stated.root) return checked;
  const reason = `of ${stated?.events ?? 0} events with the root ${stated?.root ?? 'none'}`;
  throw new BackupError('backup_damaged', `the log is not the one that was backed up, ${reason}`);
};

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
