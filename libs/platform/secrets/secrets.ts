import { join } from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { deriveKey } from './derived-key.js';
import { type InstallationKeyRecord, readInstallationKey } from './installation-key.js';
import { readMasterKey, readOrCreateMasterKey } from './master-key.js';
import { SecretsError } from './secrets.error.js';
import { sqliteKeySet } from './sqlite/sqlite-subject-keys.js';
import { type SubjectKeys, type SubjectKeySet } from './subject-keys.js';

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
  /** Where the processes of a fleet keep their subject keys. Default: a file of the directory. */
  readonly keySet?: SubjectKeySet;
  /** Has the key of the installation. Default: there is no log, and it is the master key itself. */
  readonly record?: InstallationKeyRecord;
}

/**
 * Opens the secrets of an installation, and creates them on first use.
 * @throws SecretsError
 * @throws UnknownSqliteFileError when the file of the subject keys belongs to another program
 */
export const openSecrets = async ({
  directory,
  masterKeyFile = join(directory, MASTER_KEY_FILE),
  keySet = sqliteKeySet(join(directory, SUBJECT_KEYS_FILE)),
  record,
}: SecretsOptions): Promise<Secrets> => {
  await createFolder(directory);
  const mustExist = await keySet.isTaken();
  const { master, key } = record
    ? await readInstallationKey(masterKeyFile, record, mustExist)
    : withoutLog(mustExist ? readMasterKey(masterKeyFile) : readOrCreateMasterKey(masterKeyFile));
  const wrappingKey = deriveKey(key, 'subject-keys');
  const check = deriveKey(key, 'master-key-check').toString('hex');
  const subjects = await keySet.open(wrappingKey, check);
  try {
    if (record) await requireKeySet(record, await keySet.id());
  } catch (error) {
    subjects.close();
    throw error;
  }
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

/** Another set would lack the keys of the personal data in the log, and make keys of its own. */
const requireKeySet = async (record: InstallationKeyRecord, setId: string): Promise<void> => {
  const recorded = await record.adoptKeySet(setId);
  if (recorded === setId) return;
  throw new SecretsError(
    `the subject keys here are the set ${setId}, and the log was written with the set ` +
      `${recorded}: another installation uses this log. Use its home or its read store, or ` +
      'restore them from a backup; if they are lost for good, take the log over (quipu log claim)',
  );
};

const withoutLog = (master: Buffer): { readonly master: Buffer; readonly key: Buffer } => ({
  master,
  key: master,
});
