import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RentalExit } from '#events/rentals/rental.job.js';
import { RentalFailure } from './rental-engine.js';

export interface ChildOptions {
  readonly command: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onOutput: (piece: Buffer) => void;
}

/** A child in a process group of its own, whose output is read here. */
export interface Child {
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<RentalExit>;
}

/** @throws RentalFailure `rental_not_started` */
export const startChild = async (options: ChildOptions): Promise<Child> => {
  const { command, words, folder, environment, onOutput } = options;
  const child = spawn(command, [...words], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  try {
    await once(child, 'spawn');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RentalFailure('rental_not_started', `the program could not be started: ${reason}`);
  }
  return { pid: child.pid ?? 0, exited };
};

/**
 * When the program has ended and its output was read. A process that it has left behind may keep
 * the output open.
 */
const OUTPUT_MS_MAX = 1_000;

const exitOf = async (child: ChildProcess): Promise<RentalExit> => {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exit = await new Promise<RentalExit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    child.once('error', () => resolve({ exitCode: null, signal: null }));
  });
  const waiting = new AbortController();
  const late = sleep(OUTPUT_MS_MAX, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([closed, late]);
  waiting.abort();
  return exit;
};

/** @param signal 0: only asks whether the group exists; false for a group that is gone */
export const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
};

/** Resolves with the exit, or with null when the time is over. */
export const exitWithin = async (
  exited: Promise<RentalExit>,
  ms: number,
): Promise<RentalExit | null> => {
  const waiting = new AbortController();
  const late = sleep(ms, null, { signal: waiting.signal }).catch(() => null);
  const exit = await Promise.race([exited, late]);
  waiting.abort();
  return exit;
};
