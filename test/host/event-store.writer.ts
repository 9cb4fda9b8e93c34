/**
 * Appends by a script and says what became of each append, on file descriptor 1 and at once: the
 * test reads the lines in the order of the system calls.
 *
 * Node runs this file as it is, on the built store. So it is erasable TypeScript and imports types
 * only from its neighbours.
 */
import { readFileSync, writeSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import type { Outcome, ScriptedAppend, WriterScript } from './event-store.script.js';

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WriterScript;
const metadata = {
  version: 1,
  correlationId: 'fault',
  causationId: 'fault',
  requestId: 'fault',
  actor: 'test',
};

let writerThread: Worker | undefined;
process.on('worker', (worker) => (writerThread = worker));
const store = await openSqliteEventStore({ file: script.file });
let acknowledged = 0;

const outcomeOf = (error: unknown): Outcome => {
  if (error instanceof UnknownOutcomeError) return 'unknown';
  return error instanceof StoreUnavailableError ? 'unavailable' : 'other';
};

const appendOnce = async (caller: number, append: ScriptedAppend): Promise<Outcome> => {
  const data = { caller, filler: 'x'.repeat(200) };
  const events = append.eventIds.map((id) => ({ id, type: 'Counted', data, metadata }));
  const expected = append.after === null ? 'no-stream' : BigInt(append.after);
  try {
    await store.append(`job-${caller}`, events, expected);
  } catch (error) {
    return outcomeOf(error);
  }
  acknowledged += 1;
  if (acknowledged === script.killWriterAfter) void writerThread?.terminate();
  return 'acknowledged';
};

/** Repeats what has not been acknowledged, with the same ids, as the port asks of callers. */
const call = async (caller: number, appends: readonly ScriptedAppend[]): Promise<void> => {
  for (const [number, append] of appends.entries()) {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await appendOnce(caller, append);
      writeSync(1, `${outcome} ${caller} ${number}\n`);
      if (outcome === 'acknowledged') break;
      if (attempt === script.attemptsMax) return;
    }
  }
};

await Promise.all(script.callers.map((appends, caller) => call(caller, appends)));
const { writable } = await store.health();
writeSync(2, `writable: ${writable}\n`);
await store.close();
