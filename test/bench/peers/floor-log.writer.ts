/** The thread of the floor that writes its log: it seals a batch and commits it at once. */
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The digest before the first event. */
const GENESIS = '';

const log = new DatabaseSync(String(workerData));
log.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;' +
    'CREATE TABLE log (position INTEGER PRIMARY KEY, event TEXT NOT NULL, seal TEXT NOT NULL)',
);
const insert = log.prepare('INSERT INTO log (event, seal) VALUES (?, ?)');
let seal = GENESIS;

parentPort?.on('message', (events: readonly string[]) => {
  log.exec('BEGIN');
  for (const event of events) {
    seal = hash('sha256', seal + event);
    insert.run(event, seal);
  }
  log.exec('COMMIT');
  parentPort?.postMessage(null);
});
