/**
 * The one writer of this process, on a thread of its own: SQLite's calls block, and a commit waits
 * for the disk.
 */
import { workerData } from 'node:worker_threads';
import { SQLITE_CODE, sqliteCodeOf } from '#platform/sqlite/sqlite-codes.js';
import { Bell } from '#platform/threads/bell.js';
import { answerAtBell, portOfThread } from '#platform/threads/request-listener.js';
import { type AppendGroup, SqliteLogWriter } from './sqlite-log-writer.js';
import { type WriterData, type WriterReply, type WriterRequest } from './writer.protocol.js';

const { settings, bell } = workerData as WriterData;
let writer: SqliteLogWriter | null = null;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** SQLite reports these before it writes the commit record. */
const UNWRITTEN: readonly (number | null)[] = [
  SQLITE_CODE.busy,
  SQLITE_CODE.readOnly,
  SQLITE_CODE.full,
];

const leftNoTrace = (error: unknown): boolean => UNWRITTEN.includes(sqliteCodeOf(error));

/** Rolls back. A connection that cannot is given up, and the next request opens another. */
const recover = (error: unknown): void => {
  try {
    writer?.rollback();
    if (leftNoTrace(error)) return;
    writer?.close();
  } catch {
    // The first error is the one to report.
  }
  writer = null;
};

const append = (group: AppendGroup): WriterReply => {
  let committing = false;
  try {
    writer ??= new SqliteLogWriter(settings);
    const staged = writer.stage(group);
    committing = true;
    writer.commit();
    return { kind: 'appended', ...staged };
  } catch (error) {
    recover(error);
    return {
      kind: 'failed',
      certain: !committing || leftNoTrace(error),
      reason: messageOf(error),
    };
  }
};

const probe = (): WriterReply => {
  try {
    writer ??= new SqliteLogWriter(settings);
    writer.probe();
    return { kind: 'probed', reason: null };
  } catch (error) {
    recover(error);
    return { kind: 'probed', reason: messageOf(error) };
  }
};

const close = (): WriterReply => {
  writer?.close();
  writer = null;
  return { kind: 'closed' };
};

const start = (): WriterReply => {
  try {
    writer = new SqliteLogWriter(settings);
    return { kind: 'ready', head: writer.head() };
  } catch (error) {
    const isDatabase = sqliteCodeOf(error) !== SQLITE_CODE.notADatabase;
    return {
      kind: 'refused',
      reason: isDatabase ? messageOf(error) : `${settings.file} is not an event log`,
    };
  }
};

const answer = (request: WriterRequest): WriterReply => {
  switch (request.kind) {
    case 'append':
      return append(request);
    case 'probe':
      return probe();
    case 'close':
      return close();
  }
};

const port = portOfThread();
const started = start();
port.postMessage(started);
if (started.kind === 'ready') answerAtBell(port, new Bell(bell), answer);
