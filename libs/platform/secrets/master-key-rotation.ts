import { linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type InstallationKeyRecord,
  masterKeyId,
  openInstallationKey,
  sealInstallationKey,
  type SealedInstallationKey,
} from './installation-key.js';
import { readMasterKey, readOrCreateMasterKey, syncDirectory } from './master-key.js';
import { SecretsError } from './secrets.error.js';

export interface RotatableKeyRecord extends Pick<InstallationKeyRecord, 'last'> {
  rotate(previousKeyId: string, key: SealedInstallationKey): Promise<unknown>;
}

export interface Rotation {
  readonly keyId: string;
  readonly previousKeyId: string;
}

/**
 * Seals the key of the installation with the master key in `next`, which is created where there is
 * none. Keys by purpose and subject keys stay as they are. Repeating it after a crash completes it.
 * @throws SecretsError
 */
export const rotateMasterKey = async (
  file: string,
  next: string,
  record: RotatableKeyRecord,
): Promise<Rotation> => {
  const recorded = await record.last();
  if (recorded === null) throw new SecretsError('the log has no master key yet: start the server');
  const master = readMasterKey(file, recorded.keyId);
  const fresh = readOrCreateMasterKey(next);
  const rotation = { keyId: masterKeyId(fresh), previousKeyId: masterKeyId(master) };
  if (recorded.keyId === rotation.keyId) return rotation;
  if (recorded.keyId !== rotation.previousKeyId) {
    throw new SecretsError(
      `${file} is the master key ${rotation.previousKeyId}, and the log was written with the ` +
        `master key ${recorded.keyId}`,
    );
  }
  const key = openInstallationKey(master, recorded);
  await record.rotate(recorded.keyId, sealInstallationKey(fresh, key));
  return rotation;
};

/**
 * Puts the new master key in the place of the old one, which older backups need.
 * @returns the file of the old one
 */
export const replaceMasterKey = (
  file: string,
  next: string,
  { previousKeyId }: Rotation,
): string => {
  const kept = `${file}.${previousKeyId}`;
  try {
    linkSync(file, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  renameSync(next, file);
  syncDirectory(dirname(file));
  return kept;
};
