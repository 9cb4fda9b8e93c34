/**
 * The control of the power-loss test: the same script on the same schema, but with
 * `synchronous = NORMAL`, where a commit does not wait for the disk. A test that cannot catch this
 * writer proves nothing about the other one. Runs like the other one.
 */
import { readFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EventPacker } from '#platform/event-store/sqlite/event-packer.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import type { WriterScript } from './event-store.script.js';

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WriterScript;
const store = await openSqliteEventStore({ file: script.file });
await store.close();

const database = new DatabaseSync(script.file);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
const insertStream = database.prepare('INSERT INTO streams (id, name) VALUES (?, ?)');
const insertEvent = database.prepare(
  `INSERT INTO events (stream_id, revision, type, recorded_at, body, hash)
   VALUES (?, ?, 1, 0, ?, zeroblob(32))`,
);
database.exec(`INSERT INTO words (id, text) VALUES (1, 'Counted')`);
const packer = new EventPacker({ numberOf: () => null });
const data = JSON.stringify({ filler: 'x'.repeat(200) });
const body = (stream: string, id: string): Buffer =>
  packer.pack({ stream, type: 'Counted', recordedAtMs: 0, id, data, metadata: '{}' });

for (const [caller, appends] of script.callers.entries()) {
  for (const [number, { after, eventIds }] of appends.entries()) {
    database.exec('BEGIN IMMEDIATE');
    if (after === null) insertStream.run(caller + 1, `job-${caller}`);
    for (const [index, id] of eventIds.entries()) {
      insertEvent.run(caller + 1, (after ?? -1) + 1 + index, body(`job-${caller}`, id));
    }
    database.exec('COMMIT');
    writeSync(1, `acknowledged ${caller} ${number}\n`);
  }
}
database.close();
