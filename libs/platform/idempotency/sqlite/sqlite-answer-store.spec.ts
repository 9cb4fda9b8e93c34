import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { answerStoreContract } from '../answer-store.contract.js';
import { openSqliteAnswerStore } from './sqlite-answer-store.js';

const newFolder = (): Promise<string> => mkdtemp(path.join(os.tmpdir(), 'answers-'));
const encryptionKey = new Uint8Array(32).fill(3);

answerStoreContract('sqlite', async () => {
  const folder = await newFolder();
  const file = path.join(folder, 'answers.db');
  return {
    open: (clock, times, log) => openSqliteAnswerStore({ file, encryptionKey, clock, times, log }),
    remove: () => rm(folder, { recursive: true }),
  };
});

describe('the SQLite answer store', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await newFolder();
    file = path.join(folder, 'deep', 'answers.db');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const open = (key = encryptionKey) => openSqliteAnswerStore({ file, encryptionKey: key });

  const withDatabase = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  const secrets = ['the prompt of Ada', 'the reply to Ada', 'key-of-ada', 'user-of-ada'];
  const [prompt = '', reply = '', key = '', scope = ''] = secrets;
  const request = { scope, key, body: Buffer.from(prompt.repeat(500)), attempt: 'first' };
  const free = () => Promise.resolve('free' as const);
  const answer = {
    status: 200,
    headers: { 'x-note': reply },
    body: Buffer.from(`data: ${reply}\n\n`.repeat(500)),
  };

  const filesWithSecrets = async (): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const read = files.map((entry) => readFile(path.join(entry.parentPath, entry.name)));
    const contents = await Promise.all(read);
    expect(contents.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(0);
    return files
      .filter((_, n) => secrets.some((secret) => contents[n]?.includes(secret)))
      .map(({ name }) => name);
  };

  it('never has a prompt, a reply, a key or a caller in clear on disk', async () => {
    const store = await open();
    const admission = await store.admit(request, free);
    expect(await filesWithSecrets()).toEqual([]);
    if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
    await admission.finish(answer);
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(answer.body.byteLength);
    expect(await filesWithSecrets()).toEqual([]);
    await store.close();
    expect(await filesWithSecrets()).toEqual([]);
  });

  it('starts again at once what a closed store left running', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    await first.admit(request, free);
    expect(await second.admit(request, free)).toEqual({ outcome: 'running' });
    await first.close();
    expect(await second.admit(request, free)).toMatchObject({ outcome: 'started' });
    await second.close();
  });

  it('can be opened by many at once', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
    const admitted = await Promise.all(stores.map((store) => store.admit(request, free)));
    expect(admitted.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('leaves one file behind', async () => {
    const store = await open();
    await store.admit(request, free);
    await store.close();
    const left = await readdir(path.dirname(file), { recursive: true });
    expect(left.sort()).toEqual(['answers.db', 'answers.db.owners']);
  });

  it('knows nothing under another encryption key', async () => {
    const store = await open();
    await store.admit(request, free);
    const other = await open(new Uint8Array(32));
    expect(await other.admit(request, free)).toMatchObject({ outcome: 'started' });
    await Promise.all([store.close(), other.close()]);
  });

  it('says so when a kept answer was tampered with', async () => {
    const store = await open();
    const admission = await store.admit(request, free);
    if (admission.outcome === 'started') await admission.finish(answer);
    withDatabase((database) => database.exec('UPDATE answers SET sealed = zeroblob(100)'));
    await expect(store.admit(request, free)).rejects.toMatchObject({ code: 'answer-unreadable' });
    await store.close();
  });

  it('waits for another writer without holding up its thread', async () => {
    const store = await open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    let admitted = false;
    const admission = store.admit(request, free).finally(() => (admitted = true));
    let turns = 0;
    await eventually(() => Promise.resolve((turns += 1) > 10));
    expect(admitted).toBe(false);
    other.exec('COMMIT');
    other.close();
    expect(await admission).toMatchObject({ outcome: 'started' });
    await store.close();
  });

  it('gives the room of swept answers back', async () => {
    let now = 1_800_000_000_000;
    const store = await openSqliteAnswerStore({ file, encryptionKey, clock: { now: () => now } });
    for (const n of Array.from({ length: 20 }).keys()) {
      const admission = await store.admit({ ...request, key: `k${n}` }, free);
      if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
      await admission.finish({ ...answer, body: new Uint8Array(200_000) });
    }
    now += 24 * 60 * 60 * 1_000;
    expect(await store.sweep()).toBe(20);
    await store.close();
    expect((await stat(file)).size).toBeLessThan(100_000);
  });

  describe('rejects', () => {
    const rejected = (code: string, message: RegExp) =>
      expect(open()).rejects.toMatchObject({
        name: 'AnswerStoreError',
        code,
        message: expect.stringMatching(message),
      });

    beforeEach(() => {
      file = path.join(folder, 'answers.db');
    });

    it('a file that is no database', async () => {
      await writeFile(file, 'a letter, '.repeat(100));
      await rejected('store-unreadable', /answers\.db: file is not a database/);
    });

    it("another program's database, and leaves it as it was", async () => {
      withDatabase((database) => database.exec('CREATE TABLE theirs (a)'));
      const before = await readFile(file);
      await rejected('store-unreadable', /belongs to another program/);
      expect(await readFile(file)).toEqual(before);
    });

    it('a file of a newer version', async () => {
      await (await open()).close();
      withDatabase((database) => database.exec('PRAGMA user_version = 99'));
      await rejected('store-unreadable', /has version 99/);
    });

    it('a place where it cannot show its presence', async () => {
      await writeFile(`${file}.owners`, '');
      await rejected('store-unavailable', /answers\.db\.owners/);
    });

    it('a place that cannot be opened', async () => {
      file = folder;
      await rejected('store-unavailable', /EISDIR|unable to open/);
    });
  });
});
