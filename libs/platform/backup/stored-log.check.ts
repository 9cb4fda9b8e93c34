import { type Checkpoint } from '#platform/audit/checkpoint.js';
import { logRootOf } from '#platform/audit/log-root.js';
import { SqliteCheckpointStore } from '#platform/audit/sqlite/sqlite-checkpoint-store.js';
import { TreeCheck } from '#platform/audit/tree-check.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { systemClock } from '#platform/kernel/clock.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { BackupError } from './backup.error.js';
import { type Manifest, type StoreFiles } from './backup.format.js';

export interface CheckedLog {
  readonly log: NonNullable<Manifest['log']>;
  readonly masterKeyId: string | null;
  /** Leaves of the tree that were compared with the log; null without embedded read models. */
  readonly leaves: number | null;
  /** The size of the published checkpoint that was compared; null where there is none. */
  readonly checkpoint: number | null;
}

/** Reads a checkpoint that was published of this log. */
export type ReadNote = (note: string, eventStore: EventStore) => Promise<Checkpoint>;

/**
 * Checks a log in a file against the hashes of its events, against the audit tree in the read
 * models beside it, and against the checkpoint that was published of it. No server has the files
 * open.
 * @throws BackupError `backup_damaged`
 */
export const checkStoredLog = async (
  { log: file, readModels, checkpoints }: StoreFiles & { readonly log: string },
  readNote: ReadNote,
): Promise<CheckedLog> => {
  const eventStore = await openSqliteEventStore({ file });
  try {
    const upTo = await eventStore.head();
    const report = await eventStore.chain?.check({ upTo });
    const [damaged] = report?.damaged ?? [];
    if (damaged) throw new BackupError('backup_damaged', `${file}: ${describeDamage(damaged)}`);
    const { size: events, root } = await logRootOf(eventStore);
    const note = checkpoints && (await lastNote(checkpoints));
    const published = note ? await readNote(note, eventStore) : null;
    if (published && published.size > events) {
      const reason = `a checkpoint of ${published.size} events was published`;
      throw new BackupError('backup_damaged', `the log has ${events} events, and ${reason}`);
    }
    const leaves = readModels ? await compareTree(eventStore, readModels, published) : null;
    const recorded = await new LoggedInstallationKey(eventStore, systemClock).last();
    return {
      log: { events, position: upTo.toString(), root: events === 0 ? null : root.toString('hex') },
      masterKeyId: recorded?.keyId ?? null,
      leaves,
      checkpoint: published?.size ?? null,
    };
  } finally {
    await eventStore.close();
  }
};

const lastNote = async (file: string): Promise<string | undefined> => {
  const store = new SqliteCheckpointStore(file);
  try {
    return (await store.last())?.note;
  } finally {
    await store.close();
  }
};

/** @returns the number of leaves that were compared */
const compareTree = async (
  eventStore: EventStore,
  file: string,
  published: Checkpoint | null,
): Promise<number> => {
  const readStore = await openSqliteReadStore({ file });
  try {
    const report = await new TreeCheck(eventStore, readStore).check({
      upTo: await eventStore.head(),
      checkpoints: published ? [published] : [],
    });
    const { firstDifference, damagedTiles, contradicted } = report;
    const faults = [
      ...(firstDifference
        ? [`leaf ${firstDifference.leaf} differs: ${describeDamage(firstDifference)}`]
        : []),
      ...damagedTiles.map((key) => `the hashes of tile ${key} do not add up`),
      ...contradicted.map(({ size }) => `the published checkpoint of ${size} leaves differs`),
    ];
    if (faults.length > 0) throw new BackupError('backup_damaged', faults.join('; '));
    return report.leaves;
  } finally {
    await readStore.close();
  }
};
