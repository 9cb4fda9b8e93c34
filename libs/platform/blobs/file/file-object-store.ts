import { randomUUID } from 'node:crypto';
import { type Stats } from 'node:fs';
import {
  link,
  open,
  opendir,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { BlobError } from '../blobs.errors.js';
import {
  ObjectChangedError,
  type ObjectName,
  type ObjectStore,
  type ObjectTail,
  type ObjectVersion,
  type StoredObject,
} from '../object-store.port.js';

const FILE_MODE = 0o600;
const LINKS = 'links';
const READ_BYTES = 262_144;

/**
 * Objects as files in one folder, on one file system. A file and its entry in the folder are on the
 * disk before a call resolves.
 */
export class FileObjectStore implements ObjectStore {
  /** Creates the folder, which is absolute, at the first put. */
  constructor(private readonly root: string) {}

  async write(name: ObjectName, source: AsyncIterable<Uint8Array>): Promise<void> {
    const file = await this.#create(name);
    try {
      for await (const bytes of source) await available(writeAll(file, bytes));
      await available(file.sync());
    } finally {
      await file.close();
    }
    await this.#syncFolderOf(name);
  }

  async mark(name: ObjectName): Promise<void> {
    const file = await this.#create(name);
    try {
      const now = new Date();
      await available(file.utimes(now, now).then(() => file.sync()));
    } finally {
      await file.close();
    }
    await this.#syncFolderOf(name);
  }

  /** A second link to the file, renamed over the name. */
  async copy(from: ObjectName, to: ObjectName): Promise<void> {
    const source = this.#fileOf(from);
    const spare = `${LINKS}/${randomUUID()}`;
    const now = new Date();
    await this.#makeFolderOf(to);
    await this.#makeFolderOf(spare);
    try {
      await available(utimes(source, now, now));
      await available(link(source, this.#fileOf(spare)));
      await available(rename(this.#fileOf(spare), this.#fileOf(to)));
    } finally {
      // A rename over a link to the same file leaves both.
      await available(rm(this.#fileOf(spare), { force: true }));
    }
    await this.#syncFolderOf(to);
  }

  async stat(name: ObjectName): Promise<StoredObject | undefined> {
    const found = await present(stat(this.#fileOf(name)));
    return found && { name, bytes: found.size, modifiedAtMs: found.mtimeMs };
  }

  async tail(name: ObjectName, bytesMax: number): Promise<ObjectTail | undefined> {
    const file = await present(open(this.#fileOf(name), 'r'));
    if (!file) return undefined;
    try {
      const found = await available(file.stat());
      const tail = Buffer.alloc(Math.min(bytesMax, found.size));
      await available(file.read(tail, 0, tail.length, found.size - tail.length));
      return { name, version: versionOf(found), tail, bytes: found.size };
    } finally {
      await file.close();
    }
  }

  async *read(
    { name, version }: ObjectVersion,
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const file = await present(open(this.#fileOf(name), 'r'));
    if (!file) throw new ObjectChangedError(name);
    try {
      const found = await available(file.stat());
      if (versionOf(found) !== version) throw new ObjectChangedError(name);
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - start));
      for (let at = start; at < end;) {
        const length = Math.min(buffer.length, end - at);
        const { bytesRead } = await available(file.read(buffer, 0, length, at));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    const slash = prefix.lastIndexOf('/') + 1;
    const folder = await present(opendir(path.join(this.root, prefix.slice(0, slash))));
    if (!folder) return;
    try {
      for (;;) {
        const entry = await available(folder.read());
        if (!entry) return;
        const name = `${prefix.slice(0, slash)}${entry.name}`;
        const found = name.startsWith(prefix) ? await this.stat(name) : undefined;
        if (found) yield found;
      }
    } finally {
      await folder.close();
    }
  }

  async remove(name: ObjectName): Promise<void> {
    const removed = await present(unlink(this.#fileOf(name)).then(() => true));
    if (removed) await this.#syncFolderOf(name);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #create(name: ObjectName): Promise<FileHandle> {
    await this.#makeFolderOf(name);
    return available(open(this.#fileOf(name), 'w', FILE_MODE));
  }

  async #makeFolderOf(name: ObjectName): Promise<void> {
    const folder = path.dirname(this.#fileOf(name));
    const first = await available(createFolder(folder));
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = path.dirname(made)) {
      await syncFolder(path.dirname(made));
    }
  }

  #syncFolderOf(name: ObjectName): Promise<void> {
    return syncFolder(path.dirname(this.#fileOf(name)));
  }

  #fileOf(name: ObjectName): string {
    return path.join(this.root, ...name.split('/'));
  }
}

/** A file is not written after it has a name of its own; another file may get its inode. */
const versionOf = ({ ino, size, birthtimeMs }: Stats): string => `${ino}.${size}.${birthtimeMs}`;

const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at);
    at += bytesWritten;
  }
};

/** Without its directory entry on the disk, a file could be lost. */
const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await available(open(folder, 'r'));
  try {
    await available(handle.sync());
  } finally {
    await handle.close();
  }
};

const available = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
};

/** The result, or undefined where there is no such file. */
const present = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unavailable(error);
  }
};

const unavailable = (cause: unknown): BlobError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BlobError('blobs-unavailable', reason, { cause });
};

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
