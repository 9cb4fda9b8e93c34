import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blobsContract } from '../blobs.contract.js';
import { BlobsStage, bytesOf, failed } from '../blobs.fixture.js';
import { FileObjectStore } from './file-object-store.js';

const newFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'quipu-objects-'));

blobsContract('file', async () => {
  const folder = await newFolder();
  return {
    open: () => Promise.resolve(new FileObjectStore(path.join(folder, 'blobs'))),
    remove: () => rm(folder, { recursive: true }),
  };
});

describe('the file store', () => {
  const stage = new BlobsStage();
  let folder: string;

  beforeEach(async () => {
    folder = await newFolder();
    await stage.begin(() =>
      Promise.resolve({
        open: () => Promise.resolve(new FileObjectStore(path.join(folder, 'deep', 'blobs'))),
        remove: () => rm(folder, { recursive: true }),
      }),
    );
  });

  afterEach(() => stage.end());

  it('lets no other user read', async () => {
    await stage.blobs.retain(await stage.put(bytesOf(10)), 'file:1');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile())).toHaveLength(2);
    for (const entry of entries) {
      const { mode } = await stat(path.join(entry.parentPath, entry.name));
      expect(mode & 0o777).toBe(entry.isFile() ? 0o600 : 0o700);
    }
  });

  it('leaves no file open, also when reading stops early', async () => {
    const stored = await stage.put(bytesOf(1_000_000));
    const before = (await readdir('/proc/self/fd')).length;
    for (let n = 0; n < 20; n += 1) {
      const pieces = (await stage.blobs.open(stored)).content[Symbol.asyncIterator]();
      await pieces.next();
      await pieces.return?.();
      await stage.blobs.open(stored);
    }
    expect((await readdir('/proc/self/fd')).length).toBeLessThan(before + 10);
  });

  it('is not there before its first blob', async () => {
    await stage.blobs.sweep();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is unavailable where its folder cannot be made', async () => {
    await writeFile(path.join(folder, 'deep'), '');
    await expect(stage.put(bytesOf(10))).rejects.toEqual(failed('blobs-unavailable'));
  });
});
