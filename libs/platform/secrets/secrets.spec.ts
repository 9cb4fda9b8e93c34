import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openBox, sealBox, SealBrokenError } from './sealed-box.js';
import { deriveKey } from './derived-key.js';
import { MASTER_KEY_FILE, openSecrets, type Secrets } from './secrets.js';
import { subjectKeysContract } from './subject-keys.contract.js';

let directory: string;
const opened: Secrets[] = [];

const open = async (): Promise<Secrets> => {
  const secrets = await openSecrets({ directory });
  opened.push(secrets);
  return secrets;
};

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'quipu-secrets-'));
});
afterEach(async () => {
  for (const secrets of opened.splice(0)) secrets.close();
  await rm(directory, { recursive: true });
});

describe('keys by purpose', () => {
  it('are HKDF-SHA256 of the master key', () => {
    // Checked against OpenSSL: `openssl kdf -keylen 32 -kdfopt digest:SHA256
    // -kdfopt hexkey:0001…1f -kdfopt info:quipu/app-tokens/1 HKDF`.
    const master = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
    expect(deriveKey(master, 'app-tokens').toString('hex')).toBe(
      'eab3ab403b3c8031c00f41c24345a129e134077dd52729b5ea353bea9559c29a',
    );
  });

  it('are the same in every process and after every start, and differ by purpose', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    expect(one.key('app-tokens')).toEqual(other.key('app-tokens'));
    expect(one.key('app-tokens')).not.toEqual(one.key('username-index'));
    expect(one.key('app-tokens')).toHaveLength(32);
  });

  it('cannot be changed through a copy', async () => {
    const secrets = await open();
    secrets.key('app-tokens').fill(0);
    expect(secrets.key('app-tokens')).not.toEqual(Buffer.alloc(32));
  });

  it('reject a purpose that is none', async () => {
    const secrets = await open();
    expect(() => secrets.key('App Tokens')).toThrow(RangeError);
  });
});

describe('the master key', () => {
  it('is read by its owner only, and leaves no draft', async () => {
    await open();
    const { mode } = await stat(path.join(directory, MASTER_KEY_FILE));
    expect(mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual(['master.key', 'subject-keys.db']);
  });

  it('is rejected when others may read it', async () => {
    await open();
    await chmod(path.join(directory, MASTER_KEY_FILE), 0o644);
    await expect(open()).rejects.toThrow('mode 0600');
  });

  it('may lie elsewhere, and be the same for two directories', async () => {
    const masterKeyFile = path.join(directory, 'elsewhere.key');
    const [one, other] = await Promise.all(
      ['a', 'b'].map((name) =>
        openSecrets({ directory: path.join(directory, name), masterKeyFile }),
      ),
    );
    opened.push(...[one, other].filter((secrets) => secrets !== undefined));
    expect(one?.key('app-tokens')).toEqual(other?.key('app-tokens'));
    expect(await readdir(path.join(directory, 'a'))).toEqual(['subject-keys.db']);
  });

  it('is rejected when it is cut short', async () => {
    await writeFile(path.join(directory, MASTER_KEY_FILE), 'abc\n', { mode: 0o600 });
    await expect(open()).rejects.toThrow('32 bytes in hex');
  });
});

describe('a sealed box', () => {
  const key = Buffer.alloc(32, 7);
  const box = sealBox(key, 'user:1\nemail', Buffer.from('ada@example.com'));

  it('opens with its key beside its words', () => {
    expect(openBox(key, 'user:1\nemail', box).toString()).toBe('ada@example.com');
  });

  it('is AES-256-GCM as others compute it', () => {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 14.
    const nonce = Buffer.alloc(12);
    const ciphertext = Buffer.from('cea7403d4d606b6e074ec5d3baf39d18', 'hex');
    const tag = Buffer.from('d0d1c8a799996bf0265b98b5d48ab919', 'hex');
    const foreign = Buffer.concat([Buffer.of(1), nonce, ciphertext, tag]);
    expect(openBox(Buffer.alloc(32), '', foreign)).toEqual(Buffer.alloc(16));
  });

  it('never looks the same twice', () => {
    expect(sealBox(key, 'user:1\nemail', Buffer.from('ada@example.com'))).not.toEqual(box);
  });

  it('does not open with any bit of it changed', () => {
    for (let at = 0; at < box.length; at += 1) {
      const changed = Buffer.from(box);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openBox(key, 'user:1\nemail', changed)).toThrow(SealBrokenError);
    }
  });

  it('does not open cut short, beside other words or with another key', () => {
    expect(() => openBox(key, 'user:1\nemail', box.subarray(0, 20))).toThrow(SealBrokenError);
    expect(() => openBox(key, 'user:2\nemail', box)).toThrow(SealBrokenError);
    expect(() => openBox(Buffer.alloc(32, 8), 'user:1\nemail', box)).toThrow(SealBrokenError);
  });
});

subjectKeysContract('sqlite', () =>
  Promise.resolve({
    open: async () => (await open()).subjects,
    remove: () => Promise.resolve(),
  }),
);

describe('the file of the subject keys', () => {
  it("is rejected when it is another program's, and stays as it was", async () => {
    const file = path.join(directory, 'subject-keys.db');
    const theirs = new DatabaseSync(file);
    theirs.exec('CREATE TABLE theirs (a)');
    theirs.close();
    const before = await readFile(file);
    await expect(open()).rejects.toThrow(`${file} belongs to another program`);
    expect(await readFile(file)).toEqual(before);
  });

  it('can be created by several processes at once', async () => {
    const all = await Promise.all([open(), open(), open()]);
    const [first, ...others] = all.map(({ subjects }) => subjects);
    const sealed = await first?.seal('user:1', 'email', 'ada@example.com');
    for (const keys of others) {
      expect(await keys.open('user:1', 'email', sealed ?? '')).toBe('ada@example.com');
    }
  });

  it('keeps no trace of an erased key, nor does what lies beside it', async () => {
    const { subjects } = await open();
    await subjects.seal('user:1', 'email', 'ada@example.com');
    const file = path.join(directory, 'subject-keys.db');
    const before = await readFile(file);
    const wrapped = wrappedKeyIn(before);
    await subjects.erase('user:1');
    for (const name of await readdir(directory)) {
      expect((await readFile(path.join(directory, name))).includes(wrapped)).toBe(false);
    }
  });
});

/** The row holds the subject and then the wrapped key: format, nonce, 32 bytes, tag. */
const wrappedKeyIn = (file: Buffer): Buffer => {
  const at = file.lastIndexOf('user:1') + 'user:1'.length;
  expect(file[at]).toBe(1);
  return file.subarray(at, at + 1 + 12 + 32 + 16);
};
