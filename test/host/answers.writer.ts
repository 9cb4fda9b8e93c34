/**
 * Starts attempts by a script and reports each one on file descriptor 1 at once, as
 * `event-store.writer.ts` does with appends. Node runs this file as it is, on the built store.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { openSqliteAnswerStore } from '#platform/idempotency/sqlite/sqlite-answer-store.js';
import type { WriterScript } from './event-store.script.js';

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WriterScript;
const encryptionKey = new Uint8Array(32).fill(7);
const store = await openSqliteAnswerStore({ file: script.file, encryptionKey });

const start = async (caller: number, number: number): Promise<void> => {
  const request = { scope: 'account:1', key: `${caller}-${number}`, body: Buffer.from('{}') };
  const settle = () => Promise.reject(new Error('no attempt was left'));
  const { outcome } = await store.admit({ ...request, attempt: randomUUID() }, settle);
  writeSync(1, `${outcome === 'started' ? 'acknowledged' : 'other'} ${caller} ${number}\n`);
};

await Promise.all(
  script.callers.map(async (appends, caller) => {
    for (const number of appends.keys()) await start(caller, number);
  }),
);
await store.close();
