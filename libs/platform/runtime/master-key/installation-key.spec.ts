import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '#platform/kernel/clock.js';
import { masterKeyId } from '#platform/secrets/installation-key.js';
import { readMasterKey } from '#platform/secrets/master-key.js';
import { replaceMasterKey, rotateMasterKey } from '#platform/secrets/master-key-rotation.js';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { sqliteKeySet } from '#platform/secrets/sqlite/sqlite-subject-keys.js';
import { contextOf } from '../commands/command-context.js';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import { LoggedInstallationKey } from './logged-installation-key.js';

const CONTEXT = contextOf('00000000-0000-4000-8000-000000000001', 'cli');

let folder: string;
let file: string;
let log: FaultyEventStore;
const opened: Secrets[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-installation-key-'));
  file = path.join(folder, 'master.key');
  log = new FaultyEventStore();
});

afterEach(async () => {
  for (const secrets of opened.splice(0)) secrets.close();
  await rm(folder, { recursive: true });
});

const record = () => new LoggedInstallationKey(log, systemClock);

const open = async (masterKeyFile = file): Promise<Secrets> => {
  const secrets = await openSecrets({ directory: folder, masterKeyFile, record: record() });
  opened.push(secrets);
  return secrets;
};

const idOf = (one: string): string => masterKeyId(readMasterKey(one));

const rotate = (next: string) => {
  const keys = record();
  return rotateMasterKey(file, next, {
    last: () => keys.last(),
    rotate: (previous, key) => keys.rotate(previous, key, CONTEXT),
  });
};

describe('the key of an installation', () => {
  it('is in the log, sealed and with the id of the master key', async () => {
    const secrets = await open();
    expect(log.log.events).toMatchObject([
      { type: 'MasterKeyAdopted', data: { keyId: idOf(file) } },
      { type: 'SubjectKeysClaimed', data: { previousSetId: null, reason: null } },
    ]);
    expect((await open()).key('app-tokens')).toEqual(secrets.key('app-tokens'));
    expect(log.log.events).toHaveLength(2);
  });

  it('is not replaced where the master key is lost', async () => {
    await open();
    const keyId = idOf(file);
    await rename(file, path.join(folder, 'elsewhere'));
    await expect(open()).rejects.toThrow(
      `there is no ${file}: put the master key ${keyId} that the log was written with there`,
    );
    expect(await readdir(folder)).not.toContain('master.key');
    await rename(path.join(folder, 'elsewhere'), file);
    await open();
  });

  it('does not open with another master key', async () => {
    await open();
    const keyId = idOf(file);
    await writeFile(file, `${'0'.repeat(64)}\n`, { mode: 0o600 });
    await expect(open()).rejects.toThrow(
      `is the master key ${idOf(file)}, and the log was written with the master key ${keyId}`,
    );
  });

  it('is one where several processes start first at once', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    expect(one.key('app-tokens')).toEqual(other.key('app-tokens'));
  });
});

describe('the subject keys of an installation', () => {
  const inAnotherHome = async (): Promise<Secrets> => {
    const directory = path.join(folder, 'another-home');
    const secrets = await openSecrets({ directory, masterKeyFile: file, record: record() });
    opened.push(secrets);
    return secrets;
  };

  const setIdOf = (directory: string): Promise<string> =>
    sqliteKeySet(path.join(directory, 'subject-keys.db')).id();

  it('are one set: a second installation on the log does not open', async () => {
    await open();
    const setId = await setIdOf(folder);
    await expect(inAnotherHome()).rejects.toThrow(`the log was written with the set ${setId}`);
  });

  it('are one set where two installations start first at once', async () => {
    await writeFile(file, `${'0'.repeat(64)}\n`, { mode: 0o600 });
    const started = await Promise.allSettled([open(), inAnotherHome()]);
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are replaced by an operator, who takes the log over', async () => {
    await open();
    const previous = await setIdOf(folder);
    await rename(path.join(folder, 'subject-keys.db'), path.join(folder, 'elsewhere.db'));
    await expect(open()).rejects.toThrow('quipu log claim');
    const next = await setIdOf(folder);
    expect(await record().claimKeySet(next, 'a lost disk', CONTEXT)).toBe(previous);
    await open();
    expect(log.log.events.at(-1)).toMatchObject({
      type: 'SubjectKeysClaimed',
      data: { setId: next, previousSetId: previous, reason: 'a lost disk' },
    });
    expect(await record().claimKeySet(next, 'once more', CONTEXT)).toBe(next);
    expect(log.log.events).toHaveLength(3);
  });
});

describe('a rotation of the master key', () => {
  it('keeps every key but that of messages to workers', async () => {
    const before = await open();
    const sealed = await before.subjects.seal('user:1', 'email', 'ada@example.com');
    const previousKeyId = idOf(file);
    const rotation = await rotate(`${file}.next`);
    const kept = replaceMasterKey(file, `${file}.next`, rotation);
    expect(rotation).toEqual({ keyId: idOf(file), previousKeyId });
    expect(idOf(kept)).toBe(previousKeyId);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const after = await open();
    expect(after.key('app-tokens')).toEqual(before.key('app-tokens'));
    expect(after.messageKey('worker-tasks')).not.toEqual(before.messageKey('worker-tasks'));
    expect(await after.subjects.open('user:1', 'email', sealed)).toBe('ada@example.com');
  });

  it('makes the old master key useless', async () => {
    await open();
    const rotation = await rotate(`${file}.next`);
    await expect(open()).rejects.toThrow(
      `the log was written with the master key ${rotation.keyId}`,
    );
    await open(`${file}.next`);
  });

  it('is completed where it was killed before the file was replaced', async () => {
    await open();
    const rotation = await rotate(`${file}.next`);
    expect(await rotate(`${file}.next`)).toEqual(rotation);
    replaceMasterKey(file, `${file}.next`, rotation);
    await open();
    expect(log.log.events.map(({ type }) => type)).toEqual([
      'MasterKeyAdopted',
      'SubjectKeysClaimed',
      'MasterKeyRotated',
    ]);
  });

  it('is rejected with a master key that the log was not written with', async () => {
    await open();
    await writeFile(file, `${'0'.repeat(64)}\n`, { mode: 0o600 });
    await expect(rotate(`${file}.next`)).rejects.toThrow('the log was written with the master key');
  });
});
