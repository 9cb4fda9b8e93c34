import path from 'node:path';
import { AUDIT_SETTINGS, type AuditSettings } from '#areas/audit/audit.settings.js';
import { logSignerOf } from '#areas/audit/log-signer.js';
import { verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { BackupError } from '#platform/backup/backup.error.js';
import { FILE_OF, type Manifest } from '#platform/backup/backup.format.js';
import { readManifest, restore } from '#platform/backup/restore.js';
import { type CheckedLog, type ReadNote } from '#platform/backup/stored-log.check.js';
import { systemClock } from '#platform/kernel/clock.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { deriveKey } from '#platform/secrets/derived-key.js';
import { readInstallationKey } from '#platform/secrets/installation-key.js';
import { readMasterKey } from '#platform/secrets/master-key.js';
import { embeddedStoresOf } from '../../composition/embedded-stores.js';
import { openObjects } from '../../composition/engines.js';
import { type Settings } from '../../composition/settings.js';
import { stopIfInterrupted } from '../command-failure.js';
import { asBadSettings, settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface RestoreOptions extends CommonOptions {
  readonly folder: string;
}

/** The settings say where; the master key is there already. */
export const restoreInstallation = async (
  { folder }: RestoreOptions,
  { environment, parts, signal }: Invocation,
): Promise<Outcome> => {
  const settings = settingsOf(environment, parts?.areas);
  const from = path.resolve(folder);
  const manifest = await readManifest(from);
  const restoring = async (): Promise<CheckedLog | null> => {
    if (manifest.masterKeyId !== null) readMasterKey(settings.masterKeyFile, manifest.masterKeyId);
    const objects = await openObjects(settings);
    const target = { files: embeddedStoresOf(settings), blobs: objects };
    const onStep = (): void => stopIfInterrupted(signal);
    try {
      return await restore(from, manifest, target, { readNote: readNoteOf(settings), onStep });
    } finally {
      await objects.close();
    }
  };
  return outcomeOf(manifest, await asBadSettings(restoring()), from, settings);
};

/** Verifies the signature with the key of the log that was restored. */
const readNoteOf =
  ({ masterKeyFile, ofAreas }: Settings): ReadNote =>
  async (note, eventStore) => {
    const record = new LoggedInstallationKey(eventStore, systemClock);
    const { key } = await readInstallationKey(masterKeyFile, record, true);
    const { origin } = ofAreas.get(AUDIT_SETTINGS) as AuditSettings;
    const signer = logSignerOf({ key: (purpose) => deriveKey(key, purpose) }, origin);
    try {
      return verifyCheckpoint(note, signer.key);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new BackupError('backup_damaged', `the published checkpoint: ${reason}`, { cause });
    }
  };

const outcomeOf = (
  { createdAt, files, blobs, log }: Manifest,
  checked: CheckedLog | null,
  folder: string,
  { home }: Settings,
): Outcome => ({
  json: {
    folder,
    home,
    created_at: createdAt,
    files: files.map((store) => FILE_OF[store]),
    log,
    leaves_compared: checked?.leaves ?? null,
    checkpoint_compared: checked?.checkpoint ?? null,
    blobs,
  },
  text: [
    `Restored ${folder}, which was made at ${createdAt}, to ${home}.`,
    `  files    ${files.map((store) => FILE_OF[store]).join(', ')}`,
    ...(blobs === null ? [] : [`  blobs    ${blobs.count}, ${blobs.bytes} bytes`]),
    ...(log === null ? [] : [`  log      ${log.events} events, root ${log.root ?? 'none'}`]),
    '  Erase again the users that were erased since: quipu user erase.',
  ].join('\n'),
});
