import { hkdfSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readMasterKey, readOrCreateMasterKey } from './master-key.js';
import { SqliteSubjectKeys } from './sqlite/sqlite-subject-keys.js';
import { type SharedSubjectKeys, type SubjectKeys } from './subject-keys.js';

export const MASTER_KEY_FILE = 'master.key';
const SUBJECT_KEYS_FILE = 'subject-keys.db';

const KEY_BYTES = 32;

/** The secrets of an installation, under one master key. */
export interface Secrets {
  /**
   * 32 bytes for one purpose, the same in every process and after every start.
   * @param purpose lower-case words joined by dashes: `app-tokens`, `username-index`, …
   */
  key(purpose: string): Buffer;

  readonly subjects: SubjectKeys;

  close(): void;
}

export interface SecretsOptions {
  /** Holds the master key and the subject keys by default; created where there is none. */
  readonly directory: string;
  /** The same key on every machine of a fleet. */
  readonly masterKeyFile?: string;
  /** Where the processes of a fleet keep their subject keys. */
  readonly sharedKeys?: SharedSubjectKeys;
}

/**
 * Opens the secrets of an installation, and creates them on first use.
 * @throws MasterKeyError
 * @throws UnknownSqliteFileError when the file of the subject keys belongs to another program
 */
export const openSecrets = async ({
  directory,
  masterKeyFile = join(directory, MASTER_KEY_FILE),
  sharedKeys,
}: SecretsOptions): Promise<Secrets> => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const mustBeThere = (await sharedKeys?.isTaken()) === true;
  const master = mustBeThere ? readMasterKey(masterKeyFile) : readOrCreateMasterKey(masterKeyFile);
  const wrappingKey = deriveKey(master, 'subject-keys');
  const subjects = sharedKeys
    ? await sharedKeys.open(wrappingKey, deriveKey(master, 'master-key-check').toString('hex'))
    : new SqliteSubjectKeys(join(directory, SUBJECT_KEYS_FILE), wrappingKey);
  const derived = new Map<string, Buffer>();
  return {
    key: (purpose) => {
      const known = derived.get(purpose) ?? deriveKey(master, purpose);
      derived.set(purpose, known);
      return Buffer.from(known);
    },
    subjects,
    close: () => subjects.close(),
  };
};

/** HKDF-SHA256 (RFC 5869) without salt: the master key is uniformly random already. */
export const deriveKey = (master: Buffer, purpose: string): Buffer => {
  if (!/^[a-z][a-z0-9-]*$/.test(purpose)) throw new RangeError(`not a purpose: ${purpose}`);
  return Buffer.from(hkdfSync('sha256', master, '', `quipu/${purpose}/1`, KEY_BYTES));
};
