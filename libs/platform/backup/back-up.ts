import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCheckpoint } from '#platform/audit/checkpoint.js';
import { parseNote } from '#platform/audit/signed-note.js';
import { blobsOfShard, referencesOfShard, SHARDS } from '#platform/blobs/blob.names.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { type ObjectStore } from '#platform/blobs/object-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { copySqliteFile, syncFile } from '#platform/sqlite/sqlite-copy.js';
import { BackupError } from './backup.error.js';
import {
  BLOBS,
  CHECKSUMS,
  FILE_OF,
  MANIFEST,
  type Manifest,
  type StoreFiles,
  type StoreName,
  STORES,
} from './backup.format.js';
import { ChecksumWriter, sha256Of } from './checksums.js';
import { copyObject } from './object-copy.js';
import { type CheckedLog, checkStoredLog } from './stored-log.check.js';

export interface BackupSource {
  readonly files: StoreFiles;
  /** Null: the blobs are left out. */
  readonly blobs: ObjectStore | null;
}

export interface BackupOptions {
  readonly clock: Clock;
  /** Called between two steps; what it throws ends the backup, and nothing of it stays. */
  readonly onStep?: (step: string) => void;
}

export interface BackupReport {
  readonly manifest: Manifest;
  readonly checked: CheckedLog | null;
}

/**
 * Copies an installation while it runs, and checks the copy. The order makes the copy consistent:
 * see `STORES`. Blobs are copied before the log and once more after it: what is deleted meanwhile
 * comes with the first pass, what is put meanwhile with the second, and a blob is kept for a day
 * after it was put. So no blob is missing that the log of the copy names.
 * @param folder is created; its parent exists
 * @throws BackupError; the errors of stores
 */
export const backUp = async (
  { files, blobs }: BackupSource,
  folder: string,
  { clock, onStep = () => undefined }: BackupOptions,
): Promise<BackupReport> => {
  const present = STORES.flatMap((store): readonly (readonly [StoreName, string])[] => {
    const file = files[store];
    return file !== undefined && existsSync(file) ? [[store, file]] : [];
  });
  if (present.length === 0 && blobs === null) {
    throw new BackupError('nothing_to_back_up', 'every store is on a server');
  }
  await create(folder);
  try {
    const checksums = new ChecksumWriter(path.join(folder, CHECKSUMS));
    const copy = new BlobCopy(blobs, new FileObjectStore(path.join(folder, BLOBS)), checksums);
    onStep('blobs');
    await copy.pass();
    const copies: Partial<Record<StoreName, string>> = {};
    for (const [store, file] of present) {
      onStep(FILE_OF[store]);
      const to = path.join(folder, FILE_OF[store]);
      copySqliteFile(file, to);
      copies[store] = to;
    }
    onStep('new blobs');
    await copy.pass();
    onStep('checks');
    const { log } = copies;
    const checked =
      log === undefined ? null : await checkStoredLog({ ...copies, log }, readUnverified);
    for (const [store] of present) {
      const name = FILE_OF[store];
      const file = path.join(folder, name);
      syncFile(file);
      await checksums.add({ sha256: await sha256Of(file), name });
    }
    await checksums.close();
    const manifest: Manifest = {
      format: 1,
      createdAt: instant(clock),
      masterKeyId: checked?.masterKeyId ?? null,
      files: present.map(([store]) => store),
      log: checked?.log ?? null,
      blobs: blobs === null ? null : { count: copy.count, bytes: copy.bytes },
    };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(path.join(folder, MANIFEST), text, { mode: 0o600, flush: true });
    return { manifest, checked };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

const create = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new BackupError('target_exists', `${folder} exists: name a folder that does not`);
  }
};

/** The key that signs checkpoints is not needed to make a backup. */
const readUnverified = (note: string) => Promise.resolve(parseCheckpoint(parseNote(note).text));

/** The blobs and their references, as they are stored: sealed. */
class BlobCopy {
  /** Of blobs, without references. */
  count = 0;
  bytes = 0;

  constructor(
    private readonly from: ObjectStore | null,
    private readonly to: ObjectStore,
    private readonly checksums: ChecksumWriter,
  ) {}

  /** Copies what is not there yet. */
  async pass(): Promise<void> {
    for (const shard of SHARDS) {
      await this.#copy(blobsOfShard(shard), (bytes) => {
        this.count += 1;
        this.bytes += bytes;
      });
      await this.#copy(referencesOfShard(shard));
    }
  }

  async #copy(prefix: string, onCopied?: (bytes: number) => void): Promise<void> {
    if (this.from === null) return;
    for await (const { name } of this.from.list(prefix)) {
      if (await this.to.stat(name)) continue;
      const copied = await copyObject(this.from, this.to, name);
      // Deleted meanwhile.
      if (!copied) continue;
      const { sha256, bytes } = copied;
      await this.checksums.add({ sha256, name: `${BLOBS}/${name}` });
      onCopied?.(bytes);
    }
  }
}
