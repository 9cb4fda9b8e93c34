import { readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** A process; the instant of its start tells it from a later one with the same id. */
const ProcessRecord = z.strictObject({
  pid: z.int().positive(),
  /** In clock ticks since the boot of the machine. */
  startTicks: z.string(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

const START_FIELD = 19;

/** Undefined for a process that does not exist. */
export const recordOf = async (pid: number): Promise<ProcessRecord | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may have spaces.
  const startTicks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
  return startTicks === undefined ? undefined : { pid, startTicks };
};

export const isRunning = async (record: ProcessRecord): Promise<boolean> =>
  (await recordOf(record.pid))?.startTicks === record.startTicks;

/** The stored state of the program of a rental. */
const StateFile = z.strictObject({
  /** The process group of the program. */
  program: ProcessRecord,
  /** The process of Quipu that started it. */
  owner: ProcessRecord,
});
export type StateFile = z.infer<typeof StateFile>;

export const writeState = (file: string, state: StateFile): Promise<void> =>
  writeFile(file, JSON.stringify(state), { mode: 0o600 });

/** Undefined without a file; a torn one says nothing. */
export const readState = async (file: string): Promise<StateFile | undefined> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return StateFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

export const removeState = (file: string): Promise<void> => rm(file, { force: true });
