import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CrashDisk, randomOf } from './event-store.crash-disk.js';
import { scriptedAppends } from './event-store.script.js';
import { runTraced } from './event-store.strace.js';
import { readTrace, traceInto, type TraceStep } from './event-store.trace.js';

const SEED = 20_261_122;
const STATES = 100;
const CALLERS = 4;
const STARTS = 60;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-answers-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Attempts in a file that a crash left. */
const storedIn = (file: string): number => {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA synchronous = OFF');
    const tables = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'answers'`).all();
    if (tables.length === 0) return 0;
    return Number(database.prepare('SELECT count(*) AS rows FROM answers').get()?.['rows']);
  } finally {
    database.close();
  }
};

const traced = async (): Promise<readonly TraceStep[]> => {
  const script = {
    file: path.join(folder, 'answers.db'),
    callers: Array.from({ length: CALLERS }, (_, caller) => scriptedAppends(caller, STARTS)),
    attemptsMax: 1,
    killWriterAfter: null,
  };
  const traceFile = path.join(folder, 'answers.trace');
  const { reports } = await runTraced('answers.writer', script, traceInto(traceFile));
  expect(reports).toHaveLength(CALLERS * STARTS);
  expect(reports.every(({ outcome }) => outcome === 'acknowledged')).toBe(true);
  return readTrace(traceFile);
};

describe('the stored answers after a power cut', () => {
  it('keep every attempt that was started, whose charge the log may have', async () => {
    const steps = await traced();
    const random = randomOf(SEED);
    const cuts = Array.from({ length: STATES }, () => Math.floor(random() * steps.length));
    const ruins = path.join(folder, 'ruins');
    await mkdir(ruins);
    const disk = new CrashDisk();
    const lost: { readonly started: number; readonly stored: number }[] = [];
    let started = 0;
    let at = 0;
    for (const cut of cuts.sort((one, other) => one - other)) {
      for (const step of steps.slice(at, cut)) {
        disk.apply(step, at);
        if (step.kind === 'report') started += 1;
        at += 1;
      }
      await disk.crashInto(ruins, random);
      const stored = storedIn(path.join(ruins, 'answers.db'));
      if (stored < started) lost.push({ started, stored });
    }
    expect(started).toBeGreaterThan((CALLERS * STARTS) / 2);
    expect(lost).toEqual([]);
  });
});
