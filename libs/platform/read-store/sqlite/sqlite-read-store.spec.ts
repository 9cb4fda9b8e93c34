import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { readStoreContract } from '../read-store.contract.js';
import { openSqliteReadStore } from './sqlite-read-store.js';

const newFolder = (): Promise<string> => mkdtemp(path.join(os.tmpdir(), 'read-store-'));

readStoreContract('sqlite', async () => {
  const folder = await newFolder();
  return {
    open: () => openSqliteReadStore({ file: path.join(folder, 'views.db') }),
    remove: () => rm(folder, { recursive: true }),
  };
});

describe('the SQLite read store', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await newFolder();
    file = path.join(folder, 'deep', 'views.db');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const withDatabase = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  const rows = (): unknown =>
    withDatabase(
      (database) => database.prepare('SELECT count(*) AS n FROM documents').get()?.['n'],
    );

  const writes = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({
      collection: 'usage',
      key: `k${from + n}`,
      document: { text: 'x'.repeat(500) },
      position: BigInt(n + 1),
    }));

  it('makes the folder and leaves one file behind', async () => {
    const store = await openSqliteReadStore({ file });
    await store.commit({ writes: writes(1) });
    await store.close();
    await expect(stat(file)).resolves.toBeDefined();
    await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT');
  });

  it('is cleared once, by the first of two that saw the same checkpoint', async () => {
    const store = await openSqliteReadStore({ file });
    const other = await openSqliteReadStore({ file });
    const checkpoint = { name: 'usage', position: 3n, event: 'three' };
    await store.commit({ writes: writes(3), checkpoint });
    await store.commit({ writes: [], checkpoint: { name: 'relay', position: 2n } });
    expect(await other.clear({ ...checkpoint, event: 'another' })).toBe(false);
    expect(await other.clear({ ...checkpoint, position: 2n })).toBe(false);
    expect(await store.count('usage')).toBe(3);
    expect(await store.clear(checkpoint)).toBe(true);
    expect(await other.count('usage')).toBe(0);
    expect(await other.checkpoints()).toEqual([]);
    await store.commit({ writes: writes(1), checkpoint: { name: 'usage', position: 1n } });
    expect(await other.clear(checkpoint)).toBe(false);
    expect(await other.get('usage', 'k0')).toMatchObject({ position: 1n });
    await Promise.all([store.close(), other.close()]);
  });

  const remedy = expect.stringMatching(/views\.db .*can be deleted and rebuilt from the log/);

  it('rejects a file that is no database, and says what to do', async () => {
    file = path.join(folder, 'views.db');
    await writeFile(file, 'not a database, '.repeat(100));
    await expect(openSqliteReadStore({ file })).rejects.toMatchObject({
      code: 'store-unreadable',
      message: remedy,
    });
  });

  it("rejects another program's database and leaves it as it was", async () => {
    file = path.join(folder, 'views.db');
    withDatabase((database) => database.exec('CREATE TABLE theirs (a)'));
    await expect(openSqliteReadStore({ file })).rejects.toMatchObject({
      code: 'store-unreadable',
      message: remedy,
    });
    const tables = withDatabase((database) =>
      database.prepare('SELECT name FROM sqlite_schema').all(),
    );
    expect(tables).toMatchObject([{ name: 'theirs' }]);
  });

  it('rejects a file of a newer version', async () => {
    await (await openSqliteReadStore({ file })).close();
    withDatabase((database) => database.exec('PRAGMA user_version = 99'));
    await expect(openSqliteReadStore({ file })).rejects.toMatchObject({
      code: 'store-unreadable',
      message: expect.stringMatching(/has version 99, .*rebuilt from the log/),
    });
  });

  it('says so when a page is damaged', async () => {
    const store = await openSqliteReadStore({ file });
    await store.commit({ writes: writes(200) });
    await store.close();
    const { size } = await stat(file);
    // The first page, which names the tables, is spared.
    const head = withDatabase(
      (database) => database.prepare('PRAGMA page_size').get()?.['page_size'],
    );
    await overwrite(file, Number(head), size);
    const read = async (): Promise<unknown> => (await openSqliteReadStore({ file })).list('usage');
    await expect(read()).rejects.toMatchObject({ code: 'store-unreadable', message: remedy });
  });

  it('rejects a place that cannot be opened', async () => {
    await expect(openSqliteReadStore({ file: folder })).rejects.toMatchObject({
      name: 'ReadStoreError',
      code: 'store-unavailable',
    });
  });

  it('is emptied only while it has the checkpoint that was seen', async () => {
    const store = await openSqliteReadStore({ file });
    const checkpoint = { name: 'usage', position: 3n, event: 'e3' };
    await store.commit({ writes: writes(3), checkpoint });
    for (const change of [{ name: 'other' }, { position: 2n }, { event: 'e4' }]) {
      expect(await store.clear({ ...checkpoint, ...change })).toBe(false);
    }
    expect(await store.list('usage')).toHaveLength(3);
    expect(await store.clear(checkpoint)).toBe(true);
    expect(await store.list('usage')).toEqual([]);
    expect(await store.checkpoints()).toEqual([]);
    await eventually(() => rows() === 0);
    await store.commit({ writes: writes(1), checkpoint });
    expect(await store.get('usage', 'k0')).toMatchObject({ position: 1n });
    await store.close();
  });

  it('writes the commits of a turn together, and no commit of a lost lease', async () => {
    const store = await openSqliteReadStore({ file });
    const commit = (collection: string, name: string, fence: bigint) =>
      store.commit({
        writes: writes(2).map((write) => ({ ...write, collection })),
        checkpoint: { name, position: 1n, fence },
      });
    await commit('first', 'first', 2n);
    const outcomes = await Promise.allSettled([
      commit('second', 'second', 2n),
      commit('late', 'first', 1n),
      commit('third', 'third', 2n),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'fenced-off' } },
      { status: 'fulfilled' },
    ]);
    expect(await Promise.all(['second', 'late', 'third'].map((one) => store.count(one)))).toEqual([
      2, 0, 2,
    ]);
    await store.close();
  });

  it('writes at its end what was committed before it', async () => {
    const store = await openSqliteReadStore({ file });
    const commit = store.commit({ writes: writes(3) });
    await Promise.all([commit, store.close()]);
    const again = await openSqliteReadStore({ file });
    expect(await again.count('usage')).toBe(3);
    await again.close();
  });

  it('waits for another writer without holding up its thread', async () => {
    const store = await openSqliteReadStore({ file });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    let done = false;
    const commit = store.commit({ writes: writes(1) }).then(() => (done = true));
    // Timers go on and reads are answered while the commit waits.
    await sleep(50);
    expect(await store.count('usage')).toBe(0);
    expect(done).toBe(false);
    other.exec('COMMIT');
    other.close();
    await commit;
    expect(await store.count('usage')).toBe(1);
    await store.close();
  });

  it('clears dropped collections away in the background', async () => {
    const store = await openSqliteReadStore({ file });
    await store.commit({ writes: writes(2_000), checkpoint: { name: 'usage', position: 2_000n } });
    await store.drop('usage', 'usage');
    expect(await store.count('usage')).toBe(0);
    await eventually(() => rows() === 0);
    await store.close();
  });

  it('continues clearing after it was cut short', async () => {
    const first = await openSqliteReadStore({ file });
    await first.commit({ writes: writes(5_000) });
    await first.drop('usage', 'usage');
    await first.close();
    const second = await openSqliteReadStore({ file });
    await eventually(() => rows() === 0);
    await second.close();
  });

  it('forgets deletions after a minute', async () => {
    let now = 1_000_000;
    const store = await openSqliteReadStore({ file, clock: { now: () => now } });
    const deletions = (from: number) =>
      writes(1_000, from).map((write) => ({ ...write, document: null }));
    await store.commit({ writes: deletions(0) });
    now += 60_001;
    await store.commit({ writes: deletions(1_000) });
    await eventually(() => rows() === 1_000);
    await store.commit({ writes: [...writes(1, 0), ...writes(1, 1_000)] });
    expect((await store.list('usage')).map(({ key }) => key)).toEqual(['k0']);
    await store.close();
  });

  it('keeps its write-ahead log small under unbroken load', async () => {
    const store = await openSqliteReadStore({ file });
    let walBytesMax = 0;
    for (let commit = 0; commit < 1_500; commit += 1) {
      const batch = writes(20, (commit * 20) % 20_000);
      const position = BigInt(commit + 1);
      await store.commit({ writes: batch.map((write) => ({ ...write, position })) });
      if (commit % 50 === 0) walBytesMax = Math.max(walBytesMax, (await stat(`${file}-wal`)).size);
    }
    expect(walBytesMax).toBeLessThan(128 * 1024 * 1024);
    await store.close();
  });
});

const overwrite = async (file: string, from: number, to: number): Promise<void> => {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(to - from, 0x5a), 0, to - from, from);
  await handle.close();
};
