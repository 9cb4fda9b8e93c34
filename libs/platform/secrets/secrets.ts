import { join } from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { deriveKey } from './derived-key.js';
import { type InstallationKeyRecord, readInstallationKey } from './installation-key.js';
import { readMasterKey, readOrCreateMasterKey } from './master-key.js';
import { SqliteSubjectKeys } from './sqlite/sqlite-subject-keys.js';
import { type SharedSubjectKeys, type SubjectKeys } from './subject-keys.js';

export const MASTER_KEY_FILE = 'master.key';
export const SUBJECT_KEYS_FILE = 'subject-keys.db';

/** The secrets of an installation, under one master key. */
export interface Secrets {
  /**
   * 32 bytes for one purpose, the same in every process, after every start and every rotation of
   * the master key.
   * @param purpose lower-case words joined by dashes: `app-tokens`, `username-index`, …
   */
  key(purpose: string): Buffer;

  /**
   * 32 bytes that seal messages to and from workers, which have the master key and no log. Another
   * master key gives another one, so what it seals does not last.
   */
  messageKey(purpose: string): Buffer;

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
  /** Has the key of the installation. Default: there is no log, and it is the master key itself. */
  readonly record?: InstallationKeyRecord;
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
  record,
}: SecretsOptions): Promise<Secrets> => {
  await createFolder(directory);
  const mustExist = (await sharedKeys?.isTaken()) === true;
  const { master, key } = record
    ? await readInstallationKey(masterKeyFile, record, mustExist)
    : withoutLog(mustExist ? readMasterKey(masterKeyFile) : readOrCreateMasterKey(masterKeyFile));
  const wrappingKey = deriveKey(key, 'subject-keys');
  const subjects = sharedKeys
    ? await sharedKeys.open(wrappingKey, deriveKey(key, 'master-key-check').toString('hex'))
    : new SqliteSubjectKeys(join(directory, SUBJECT_KEYS_FILE), wrappingKey);
  const derived = new Map<string, Buffer>();
  return {
    key: (purpose) => {
      const known = derived.get(purpose) ?? deriveKey(key, purpose);
      derived.set(purpose, known);
      return Buffer.from(known);
    },
    messageKey: (purpose) => deriveKey(master, purpose),
    subjects,
    close: () => subjects.close(),
  };
};

const withoutLog = (master: Buffer): { readonly master: Buffer; readonly key: Buffer } => ({
  master,
  key: master,
});
