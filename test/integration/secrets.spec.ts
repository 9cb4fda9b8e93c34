import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { SecretsError } from '#platform/secrets/secrets.error.js';
import { mongoKeySet } from '#platform/secrets/mongodb/mongodb-subject-keys.js';
import { MASTER_KEY_FILE, openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { subjectKeysContract } from '#platform/secrets/subject-keys.contract.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

let databases: SuiteDatabases;
let folder: string;
let url: string;
const opened: MongoDatabase[] = [];

beforeAll(async () => {
  databases = await SuiteDatabases.start();
});
afterAll(() => databases.stop());

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-secrets-'));
  url = databases.newUrl();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await databases.remove(url);
  await rm(folder, { recursive: true });
});

const openOn = async (machine: string): Promise<Secrets> => {
  const database = await openMongoDatabase({ url });
  opened.push(database);
  const directory = path.join(folder, machine);
  return openSecrets({ directory, keySet: mongoKeySet(database) });
};

subjectKeysContract('MongoDB', () =>
  Promise.resolve({
    open: async () => (await openOn('one')).subjects,
    remove: () => Promise.resolve(),
  }),
);

describe('secrets of several machines', () => {
  const copyMasterKey = (from: string, to: string): Promise<void> =>
    copyFile(path.join(folder, from, MASTER_KEY_FILE), path.join(folder, to, MASTER_KEY_FILE));

  it('are shared by processes with one master key', async () => {
    const one = await openOn('one');
    const sealed = await one.subjects.seal('user:1', 'email', 'ada@example.com');
    await expect(openOn('two')).rejects.toThrow(SecretsError);
    await copyMasterKey('one', 'two');
    const two = await openOn('two');
    expect(await two.subjects.open('user:1', 'email', sealed)).toBe('ada@example.com');
    expect(two.key('app-tokens')).toEqual(one.key('app-tokens'));
    expect(await readdir(path.join(folder, 'two'))).toEqual([MASTER_KEY_FILE]);
  });

  it('do not make a second master key, and say where to put the first', async () => {
    await openOn('one');
    await expect(openOn('two')).rejects.toThrow(
      /there is no .*two.master\.key: put the master key/,
    );
    expect(await readdir(path.join(folder, 'two'))).toEqual([]);
  });

  it('are refused to another master key', async () => {
    await openOn('one');
    (await openSecrets({ directory: path.join(folder, 'two') })).close();
    await expect(openOn('two')).rejects.toThrow(/belongs to .* another master key/);
  });

  it('come from one master key when several machines start at once', async () => {
    const starts = await Promise.allSettled(['one', 'two', 'three'].map(openOn));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('hold no key in the clear', async () => {
    const secrets = await openOn('one');
    await secrets.subjects.seal('user:1', 'email', 'ada@example.com');
    const [database] = opened;
    const row = await database?.db.collection('subjectKeys').findOne({ _id: { $exists: true } });
    expect(row).toEqual({ _id: 'user:1', wrappedKey: expect.anything() });
    await secrets.subjects.erase('user:1');
    const erased = await database?.db.collection('subjectKeys').findOne({});
    expect(erased).toEqual({ _id: 'user:1', erasedAt: expect.any(Date) });
  });

  it('are refused once they are closed', async () => {
    const { subjects } = await openOn('one');
    subjects.close();
    const unavailable = { name: 'SubjectKeysUnavailableError' };
    await expect(subjects.seal('user:1', 'email', 'ada')).rejects.toMatchObject(unavailable);
    await expect(subjects.erase('user:1')).rejects.toMatchObject(unavailable);
  });
});
