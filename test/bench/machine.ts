import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';

/** The facts that a reader must know before comparing figures with another run. */
export interface Machine {
  readonly cpuModel: string;
  readonly cores: number;
  readonly node: string;
  /** Where the logs lie; on `tmpfs` an fsync is free and the figures flatter. */
  readonly fileSystem: string;
  /** Where Kafka and the MongoDB server keep their data. */
  readonly serversFileSystem: string;
  /** One-minute load averages. */
  readonly load1Before: number;
  readonly load1After: number;
}

const load1 = (): number => loadavg()[0] ?? Number.NaN;

const isWithin = (directory: string, mountPoint: string): boolean =>
  !path.relative(mountPoint, directory).startsWith('..');

/** The deepest mount point above the directory names its file system. */
const fileSystemOf = async (directory: string): Promise<string> => {
  const mounts = (await readFile('/proc/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' '));
  const above = mounts
    .filter(([, mountPoint]) => mountPoint !== undefined && isWithin(directory, mountPoint))
    .sort(([, left = ''], [, right = '']) => right.length - left.length);
  return above[0]?.[2] ?? 'an unknown file system';
};

/** Call it before the load; call what it returns after. */
export const observeMachine = async (directory: string): Promise<() => Machine> => {
  const load1Before = load1();
  const fileSystem = await fileSystemOf(directory);
  const serversFileSystem = await fileSystemOf(tmpdir());
  return () => ({
    cpuModel: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    node: process.versions.node,
    fileSystem,
    serversFileSystem,
    load1Before,
    load1After: load1(),
  });
};
