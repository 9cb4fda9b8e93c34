import { randomBytes } from 'node:crypto';
import { deriveKey, KEY_BYTES } from './derived-key.js';
import { readMasterKey, readOrCreateMasterKey } from './master-key.js';
import { openBox, sealBox } from './sealed-box.js';
import { SecretsError } from './secrets.error.js';

/** The key of the installation, sealed with the master key of that id. */
export interface SealedInstallationKey {
  readonly keyId: string;
  /** base64url */
  readonly sealedKey: string;
}

/** The sealed key of the installation and the set of its subject keys, as the log has them. */
export interface InstallationKeyRecord {
  /** Null before the first start. */
  last(): Promise<SealedInstallationKey | null>;
  /** @returns the key that is recorded: another one where another process was first */
  adopt(key: SealedInstallationKey): Promise<SealedInstallationKey>;
  /** @returns the id of the set that is recorded: another one where another set was first */
  adoptKeySet(setId: string): Promise<string>;
}

const ID_DIGITS = 16;

/** Names a master key without revealing it: 64 bits in hex. */
export const masterKeyId = (master: Buffer): string =>
  deriveKey(master, 'master-key-id').toString('hex').slice(0, ID_DIGITS);

export const sealInstallationKey = (master: Buffer, key: Buffer): SealedInstallationKey => {
  const keyId = masterKeyId(master);
  const box = sealBox(sealingKey(master), associated(keyId), key);
  return { keyId, sealedKey: box.toString('base64url') };
};

/** @throws SealBrokenError */
export const openInstallationKey = (
  master: Buffer,
  { keyId, sealedKey }: SealedInstallationKey,
): Buffer => openBox(sealingKey(master), associated(keyId), Buffer.from(sealedKey, 'base64url'));

/**
 * The master key in the file, and the key of the installation that the log has under it. Both are
 * created by the first start on an empty log, and never again.
 * @throws SecretsError naming the master key that the log was written with
 */
export const readInstallationKey = async (
  file: string,
  record: InstallationKeyRecord,
  mustExist: boolean,
): Promise<{ readonly master: Buffer; readonly key: Buffer }> => {
  const known = await record.last();
  const exists = known !== null || mustExist;
  const master = exists ? readMasterKey(file, known?.keyId) : readOrCreateMasterKey(file);
  const recorded =
    known ?? (await record.adopt(sealInstallationKey(master, randomBytes(KEY_BYTES))));
  const keyId = masterKeyId(master);
  if (recorded.keyId !== keyId) {
    throw new SecretsError(
      `${file} is the master key ${keyId}, and the log was written with the master key ` +
        `${recorded.keyId}: put that one there, or finish its rotation (quipu master-key rotate)`,
    );
  }
  return { master, key: openInstallationKey(master, recorded) };
};

const sealingKey = (master: Buffer): Buffer => deriveKey(master, 'installation-key');

const associated = (keyId: string): string => `installation-key\n${keyId}`;
