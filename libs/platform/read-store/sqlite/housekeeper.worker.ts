/**
 * The slow work of a read store, on a connection of its own: the thread that serves requests never
 * waits for an fsync.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { type HousekeepingOrder } from './housekeeper.js';

/** A slice holds the write lock for about a millisecond. */
const ROWS_PER_SLICE = 500;
const PAUSE_MS = 5;
const SLICES_PER_CHECKPOINT = 20;
/** 32 MiB: past this, the WAL is brought to its start, for which commits wait some milliseconds. */
const WAL_PAGES_MAX = 8_192;
const BUSY_TIMEOUT_MS = 5_000;

const port = portOfThread();
const { file } = workerData as { readonly file: string };
const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');

/**
 * Passive first, beside readers and writers. Under unbroken load it never catches the last page, so
 * that the WAL would grow without end: then the little that is left is done under the write lock.
 */
const checkpoint = (): void => {
  const { log } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number };
  if (log > WAL_PAGES_MAX) database.exec('PRAGMA wal_checkpoint(RESTART)');
};

const clearDropped = database.prepare(`
  DELETE FROM documents WHERE collection = :id
     AND key IN (SELECT key FROM documents WHERE collection = :id LIMIT ${ROWS_PER_SLICE})`);
const nextDropped = database.prepare('SELECT id FROM dropped LIMIT 1');
const forgetDropped = database.prepare('DELETE FROM dropped WHERE id = :id');

const clearSlice = (): boolean => {
  const next = nextDropped.get();
  if (!next) return false;
  const id = next['id'] ?? null;
  if (clearDropped.run({ id }).changes === 0) forgetDropped.run({ id });
  return true;
};

const clearDeletions = database.prepare(`
  DELETE FROM documents WHERE (collection, key) IN (
    SELECT collection, key FROM documents WHERE deletedAtMs < :beforeMs LIMIT ${ROWS_PER_SLICE})`);

let closing = false;

/** Runs a slice until it finds nothing, with pauses in which others may write. */
const repeat = async (slice: () => boolean): Promise<void> => {
  for (let slices = 1; !closing && slice(); slices += 1) {
    if (slices % SLICES_PER_CHECKPOINT === 0) checkpoint();
    await sleep(PAUSE_MS);
  }
};

const carryOut = async (order: HousekeepingOrder): Promise<void> => {
  switch (order.kind) {
    case 'checkpoint':
      checkpoint();
      return;
    case 'clear-dropped':
      return repeat(clearSlice);
    case 'forget-deletions': {
      const { beforeMs } = order;
      return repeat(() => clearDeletions.run({ beforeMs }).changes > 0);
    }
    case 'close':
      database.close();
      port.close();
  }
};

/** One order after another. An order that fails or is cut short is left to the next of its kind. */
let last = Promise.resolve();
port.on('message', (order: HousekeepingOrder) => {
  closing ||= order.kind === 'close';
  last = last.then(() => carryOut(order)).catch(() => undefined);
  void last.then(() => port.postMessage(order.kind));
});
