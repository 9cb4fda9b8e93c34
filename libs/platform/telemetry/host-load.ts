import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Where Linux shows the load of the machine (`proc(5)`). */
export const PROC = '/proc';

const KIBIBYTE = 1_024;
/** Of the first line of `stat`: user nice system idle iowait irq softirq steal. */
const IDLE_COLUMNS = new Set([3, 4]);
const COLUMNS = 8;

/** The work of the processors since the start of the machine, in ticks. */
export interface ProcessorTicks {
  readonly busy: number;
  readonly all: number;
}

/** Null where the kernel does not say. */
export const readProcessorTicks = async (folder: string = PROC): Promise<ProcessorTicks | null> => {
  const text = await readFile(path.join(folder, 'stat'), 'utf8').catch(() => '');
  const [, line] = /^cpu +(\d[\d ]*)$/m.exec(text) ?? [];
  const ticks = line?.trim().split(/ +/).slice(0, COLUMNS).map(Number) ?? [];
  if (ticks.length < COLUMNS) return null;
  const sum = (columns: readonly number[]): number => columns.reduce((all, one) => all + one, 0);
  const all = sum(ticks);
  return { all, busy: all - sum(ticks.filter((_, column) => IDLE_COLUMNS.has(column))) };
};

/** 0 to 100, of all processors; null without a tick between the readings. */
export const utilisationPct = (before: ProcessorTicks, after: ProcessorTicks): number | null => {
  const all = after.all - before.all;
  if (all <= 0) return null;
  return Math.min(100, Math.max(0, ((after.busy - before.busy) / all) * 100));
};

/** The memory of the machine that processes use; null where the kernel does not say. */
export const readMemoryUsedBytes = async (folder: string = PROC): Promise<number | null> => {
  const text = await readFile(path.join(folder, 'meminfo'), 'utf8').catch(() => '');
  const kibibytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1]);
  const used = (kibibytes('MemTotal') - kibibytes('MemAvailable')) * KIBIBYTE;
  return Number.isFinite(used) && used >= 0 ? used : null;
};
