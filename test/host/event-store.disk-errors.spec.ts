import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import {
  eventsAfter,
  type Outcome,
  scriptedAppends,
  streamOf,
  type WriterScript,
} from './event-store.script.js';
import { runTraced, type TracedRun } from './event-store.strace.js';

const CALLERS = 4;
const APPENDS = 40;

/** Runs the writer while the disk misbehaves, then reads its log on a sound one. */
const runOnBadDisk = async (
  straceArgs: (file: string) => readonly string[],
  part: Partial<WriterScript> = {},
): Promise<TracedRun & { readonly stored: readonly string[][] }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-disk-'));
  try {
    const file = path.join(folder, 'events.db');
    const callers = Array.from({ length: CALLERS }, (_, caller) =>
      scriptedAppends(caller, APPENDS),
    );
    const script = { file, callers, attemptsMax: 3, killWriterAfter: null, ...part };
    const run = await runTraced('event-store.writer', script, straceArgs(file));
    return { ...run, stored: await storedIds(file) };
  } finally {
    await rm(folder, { recursive: true });
  }
};

const storedIds = async (file: string): Promise<string[][]> => {
  const store = await openSqliteEventStore({ file });
  const ids: string[][] = [];
  for (let caller = 0; caller < CALLERS; caller += 1) {
    const own: string[] = [];
    for await (const page of store.read(streamOf(caller))) own.push(...page.map(({ id }) => id));
    ids.push(own);
  }
  await store.close();
  return ids;
};

const idsOf = (caller: number, appends: number): string[] =>
  scriptedAppends(caller, appends).flatMap(({ eventIds }) => eventIds);

const acknowledgedBy = ({ reports }: TracedRun, caller: number): number =>
  reports.filter((report) => report.caller === caller && report.outcome === 'acknowledged').length;

const outcomesOf = ({ reports }: TracedRun): Set<Outcome> =>
  new Set(reports.map(({ outcome }) => outcome));

/** Every acknowledged event once, in order; at most one whole append more, of unknown outcome. */
const expectNothingLost = (run: TracedRun & { readonly stored: readonly string[][] }): void => {
  for (const [caller, ids] of run.stored.entries()) {
    const appends = acknowledgedBy(run, caller);
    expect([eventsAfter(appends), eventsAfter(appends + 1)]).toContain(ids.length);
    expect(ids).toEqual(idsOf(caller, appends + 1).slice(0, ids.length));
  }
};

const inject = (calls: string, fault: string) => (): readonly string[] => [
  '-o',
  '/dev/null',
  '-e',
  `trace=${calls}`,
  '-e',
  `inject=${calls}:${fault}`,
];

const onTheLog =
  (suffix: string, calls: string, fault: string) =>
  (file: string): readonly string[] => ['-P', `${file}${suffix}`, ...inject(calls, fault)()];

const SYNC = 'fsync,fdatasync';

describe('the event log on a disk that fails', () => {
  it('acknowledges nothing once syncing fails, and says that it cannot write', async () => {
    const run = await runOnBadDisk(onTheLog('-wal', SYNC, 'error=EIO:when=12+'));
    expect(acknowledgedBy(run, 0)).toBeGreaterThan(0);
    expect(acknowledgedBy(run, 0)).toBeLessThan(APPENDS);
    expect(outcomesOf(run).has('unknown')).toBe(true);
    expect(outcomesOf(run).has('other')).toBe(false);
    expect(run.writable).toBe(false);
    const firstFailure = run.reports.findIndex(({ outcome }) => outcome !== 'acknowledged');
    const later = run.reports.slice(firstFailure);
    expect(later.filter(({ outcome }) => outcome === 'acknowledged')).toEqual([]);
    expectNothingLost(run);
  });

  it('continues when syncing works again; repeated appends have landed once', async () => {
    const run = await runOnBadDisk(onTheLog('-wal', SYNC, 'error=EIO:when=12'));
    expect(outcomesOf(run)).toEqual(new Set<Outcome>(['acknowledged', 'unknown']));
    expect(run.writable).toBe(true);
    for (let caller = 0; caller < CALLERS; caller += 1) {
      expect(run.stored[caller]).toEqual(idsOf(caller, APPENDS));
    }
  });

  it('calls a full disk unavailable, not unknown, and continues when there is room', async () => {
    const run = await runOnBadDisk(onTheLog('-wal', 'pwrite64', 'error=ENOSPC:when=60..61'));
    expect(outcomesOf(run)).toEqual(new Set<Outcome>(['acknowledged', 'unavailable']));
    expect(run.writable).toBe(true);
    for (let caller = 0; caller < CALLERS; caller += 1) {
      expect(run.stored[caller]).toEqual(idsOf(caller, APPENDS));
    }
  });

  it('stays unavailable while the disk is full', async () => {
    const run = await runOnBadDisk(onTheLog('-wal', 'pwrite64', 'error=ENOSPC:when=60+'));
    expect(outcomesOf(run)).toEqual(new Set<Outcome>(['acknowledged', 'unavailable']));
    expect(run.writable).toBe(false);
    expectNothingLost(run);
  });

  it('starts a new writer thread when one dies', async () => {
    const run = await runOnBadDisk(() => ['-o', '/dev/null', '-e', 'trace=none'], {
      killWriterAfter: 50,
    });
    expect(outcomesOf(run).has('other')).toBe(false);
    expect(outcomesOf(run).has('unavailable')).toBe(false);
    for (let caller = 0; caller < CALLERS; caller += 1) {
      expect(run.stored[caller]).toEqual(idsOf(caller, APPENDS));
    }
  });
});
