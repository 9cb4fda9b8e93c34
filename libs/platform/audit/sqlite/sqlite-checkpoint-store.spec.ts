import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkpointStoreContract } from '../checkpoint-store.contract.js';
import { SqliteCheckpointStore } from './sqlite-checkpoint-store.js';

const folderOfTest = () => mkdtemp(path.join(tmpdir(), 'quipu-checkpoints-'));

checkpointStoreContract('SQLite', async () => {
  const folder = await folderOfTest();
  const file = path.join(folder, 'audit.db');
  const [one, other] = [new SqliteCheckpointStore(file), new SqliteCheckpointStore(file)];
  return {
    one,
    other,
    dispose: async () => {
      await Promise.all([one.close(), other.close()]);
      await rm(folder, { recursive: true });
    },
  };
});

describe('the file of the checkpoints', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await folderOfTest();
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('belongs to its owner, and outlives the process', async () => {
    const file = path.join(folder, 'audit.db');
    const store = new SqliteCheckpointStore(file);
    await store.replace(undefined, { size: 1, note: 'one\n' });
    await store.close();
    await store.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = new SqliteCheckpointStore(file);
    expect(await again.last()).toEqual({ size: 1, note: 'one\n' });
    await again.close();
    await expect(again.last()).rejects.toThrow('audit.db cannot be used');
  });

  it('is not taken from another program', async () => {
    const file = path.join(folder, 'audit.db');
    await writeFile(file, 'no database at all');
    expect(() => new SqliteCheckpointStore(file)).toThrow();
  });
});
