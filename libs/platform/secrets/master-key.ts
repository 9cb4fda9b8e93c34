import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SecretsError } from './secrets.error.js';

const MASTER_KEY_BYTES = 32;
const OTHERS_MAY_READ = 0o077;

/**
 * The installation's master key, made on first use. Of several processes that start at once, one
 * creates it and all read that one: creating a hard link fails if the name exists.
 * @throws SecretsError when the file is malformed or others may read it
 */
export const readOrCreateMasterKey = (file: string): Buffer => read(file) ?? create(file);

/**
 * The master key of an installation that has one already, on this machine or another.
 * @param keyId of the key that the log was written with, where the log has it
 * @throws SecretsError when there is no such file, it is malformed or others may read it
 */
export const readMasterKey = (file: string, keyId?: string): Buffer => {
  const key = read(file);
  if (key) return key;
  const named =
    keyId === undefined ? 'of this installation' : `${keyId} that the log was written with`;
  throw new SecretsError(`there is no ${file}: put the master key ${named} there`);
};

const read = (file: string): Buffer | undefined => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS_MAY_READ) !== 0) {
    throw new SecretsError(`others may read ${file}: give it mode 0600`);
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new SecretsError(`${file} does not hold ${MASTER_KEY_BYTES} bytes in hex`);
  }
  return Buffer.from(text, 'hex');
};

const create = (file: string): Buffer => {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const hex = randomBytes(MASTER_KEY_BYTES).toString('hex');
  writeFileSync(draft, `${hex}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncDirectory(dirname(file));
  const stored = read(file);
  if (!stored) throw new SecretsError(`${file} vanished while it was being made`);
  return stored;
};

/** Without its directory entry on the disk, the key and everything sealed with it could be lost. */
export const syncDirectory = (directory: string): void => {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
