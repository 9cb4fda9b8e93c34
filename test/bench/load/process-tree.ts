import { readdirSync, readFileSync } from 'node:fs';

/** The usage of a process and all its descendants up to now. */
export interface Footprint {
  /** User and system time of all threads, of reaped children too. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

/** The kernel reports times to user space in hundredths of a second on every architecture. */
const MICROS_PER_TICK = 10_000;

interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  readonly cpuTicks: number;
}

/** A process may end between listing and reading it. */
const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
};

/** Fields as proc(5) counts them; the name in brackets may hold blanks, so they start after it. */
const statOf = (pid: number): ProcessStat | undefined => {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { pid, parentPid: field(4), cpuTicks: field(14) + field(15) + field(16) + field(17) };
};

const rssOf = (pid: number): number => {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kib ?? 0) * 1024;
};

const treeOf = (rootPid: number): readonly ProcessStat[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== undefined);
  const root = all.filter(({ pid }) => pid === rootPid);
  const withChildren = (parents: readonly ProcessStat[]): readonly ProcessStat[] => {
    const pids = new Set(parents.map(({ pid }) => pid));
    const children = all.filter(({ parentPid }) => pids.has(parentPid));
    return children.length === 0 ? parents : [...parents, ...withChildren(children)];
  };
  return withChildren(root);
};

export const footprintOf = (rootPid: number): Footprint => {
  const tree = treeOf(rootPid);
  if (tree.length === 0) throw new Error(`process ${rootPid} is gone`);
  return {
    cpuMicros: tree.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * MICROS_PER_TICK,
    rssBytes: tree.reduce((sum, { pid }) => sum + rssOf(pid), 0),
  };
};
