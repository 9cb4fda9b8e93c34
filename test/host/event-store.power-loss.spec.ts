import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { CrashDisk, randomOf } from './event-store.crash-disk.js';
import { eventsAfter, scriptedAppends, streamOf, type WriterScript } from './event-store.script.js';
import { runTraced } from './event-store.strace.js';
import { readTrace, traceInto, type TraceStep } from './event-store.trace.js';

const SEED = 20_260_917;
const STATES = 300;
const CONTROL_STATES = 100;
/** The number of states that are opened as a store and written to. */
const REVIVED_STATES = 10;

interface Traced {
  readonly steps: readonly TraceStep[];
  readonly script: WriterScript;
}

/** The log after a power cut at some step. */
interface Aftermath {
  readonly cut: number;
  readonly acknowledged: readonly number[];
  /** Events found, for each caller; null where the file is not a sound database. */
  readonly stored: readonly number[] | null;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-power-'));
});
afterAll(() => rm(folder, { recursive: true }));

const trace = async (
  program: Parameters<typeof runTraced>[0],
  { callers, appends }: { readonly callers: number; readonly appends: number },
): Promise<Traced> => {
  const directory = path.join(folder, program);
  await mkdir(directory);
  const file = path.join(directory, 'events.db');
  const script = {
    file,
    callers: Array.from({ length: callers }, (_, caller) => scriptedAppends(caller, appends)),
    attemptsMax: 1,
    killWriterAfter: null,
  };
  const traceFile = path.join(folder, `${program}.trace`);
  const { reports } = await runTraced(program, script, traceInto(traceFile));
  expect(reports).toHaveLength(callers * appends);
  expect(reports.every(({ outcome }) => outcome === 'acknowledged')).toBe(true);
  return { steps: await readTrace(traceFile), script };
};

/** Events of each caller in a file that a crash left; recovery happens as it is opened. */
const storedIn = (file: string, callers: number): readonly number[] | null => {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA synchronous = OFF');
    const check = database.prepare('PRAGMA integrity_check').get();
    if (check?.['integrity_check'] !== 'ok') return null;
    const tables = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).all();
    if (tables.length === 0) return Array<number>(callers).fill(0);
    const count = database.prepare(
      `SELECT count(*) AS events FROM events JOIN streams ON streams.id = stream_id WHERE name = ?`,
    );
    return Array.from({ length: callers }, (_, caller) =>
      Number(count.get(streamOf(caller))?.['events']),
    );
  } catch {
    return null;
  } finally {
    database.close();
  }
};

/** Cuts the power after random steps and looks at what is left each time. */
const cutPower = async (
  { steps, script }: Traced,
  states: number,
  inspect?: (file: string, state: number) => Promise<void>,
): Promise<readonly Aftermath[]> => {
  const random = randomOf(SEED);
  const cuts = Array.from({ length: states }, () => Math.floor(random() * steps.length));
  const disk = new CrashDisk();
  const acknowledged = script.callers.map(() => 0);
  const ruins = path.join(folder, 'ruins');
  await mkdir(ruins, { recursive: true });
  const file = path.join(ruins, path.basename(script.file));
  const aftermaths: Aftermath[] = [];
  let at = 0;
  for (const [state, cut] of cuts.sort((a, b) => a - b).entries()) {
    for (const step of steps.slice(at, cut)) {
      disk.apply(step, at);
      if (step.kind === 'report') acknowledged[step.report.caller] = step.report.append + 1;
      at += 1;
    }
    await disk.crashInto(ruins, random);
    const stored = storedIn(file, script.callers.length);
    aftermaths.push({ cut, acknowledged: [...acknowledged], stored });
    await inspect?.(file, state);
  }
  return aftermaths;
};

const losesEvents = ({ acknowledged, stored }: Aftermath): boolean =>
  stored === null ||
  acknowledged.some((appends, caller) => (stored[caller] ?? 0) < eventsAfter(appends));

const holdsHalfAnAppend = ({ stored }: Aftermath, { callers }: WriterScript): boolean =>
  callers.some((appends, caller) => {
    const whole = [eventsAfter(appends.length), ...appends.map((_, number) => eventsAfter(number))];
    return stored !== null && !whole.includes(stored[caller] ?? 0);
  });

/** A trace without checkpoints between acknowledgements would prove little. */
const checkpointsWhileAppending = ({ steps, script }: Traced): number => {
  const first = steps.findIndex(({ kind }) => kind === 'report');
  const last = steps.findLastIndex(({ kind }) => kind === 'report');
  return steps
    .slice(first, last)
    .filter((step) => step.kind === 'sync' && step.file === script.file).length;
};

describe('the event log after a power cut', () => {
  it('keeps every acknowledged event and no half of an append, and continues', async () => {
    const traced = await trace('event-store.writer', { callers: 16, appends: 220 });
    const revive = async (file: string, state: number) => {
      if (state % (STATES / REVIVED_STATES) !== 0) return;
      const store = await openSqliteEventStore({ file });
      const metadata = { version: 1, correlationId: '', causationId: '', requestId: '', actor: '' };
      const id = '00000000-0000-4000-8000-00000000000a';
      const first = await store.append('job-after', [{ id, type: 'A', data: {}, metadata }], 'any');
      expect(await store.head()).toBe(first.position);
      await store.close();
    };
    const aftermaths = await cutPower(traced, STATES, revive);
    expect(aftermaths).toHaveLength(STATES);
    expect(aftermaths.filter(losesEvents)).toEqual([]);
    const halves = aftermaths.filter((aftermath) => holdsHalfAnAppend(aftermath, traced.script));
    expect(halves).toEqual([]);
    expect(checkpointsWhileAppending(traced)).toBeGreaterThan(0);
    expect(aftermaths.some(({ acknowledged }) => (acknowledged[0] ?? 0) > 100)).toBe(true);
  });

  it('would have caught a writer that does not wait for the disk', async () => {
    const traced = await trace('event-store.careless-writer', { callers: 4, appends: 60 });
    const aftermaths = await cutPower(traced, CONTROL_STATES);
    expect(aftermaths.filter(losesEvents).length).toBeGreaterThan(CONTROL_STATES / 4);
  });
});
