import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Where Linux shows the energy counters of processors (Running Average Power Limit). */
export const POWERCAP = '/sys/class/powercap';
/** A package of a processor; its parts are listed below it and are in its count. */
const PACKAGE = /^intel-rapl:\d+$/;
const MICRO = 1e-6;

interface Counter {
  readonly file: string;
  /** Where the counter starts again from zero. */
  readonly rangeMicroJoules: number;
}

interface Count extends Pick<Counter, 'rangeMicroJoules'> {
  readonly microJoules: number;
}

/** The counters of all packages at one instant. */
export type EnergyReading = readonly Count[];

/**
 * The energy counters of this machine, where its kernel lets this process read them. They count
 * everything that the processors did, of which a run is a part.
 */
export class EnergyCounters {
  #counters: Promise<readonly Counter[]> | undefined;

  constructor(private readonly folder: string = POWERCAP) {}

  /** Null where a counter cannot be read. */
  async read(): Promise<EnergyReading | null> {
    this.#counters ??= this.#readable();
    const counters = await this.#counters;
    const counts = await Promise.all(
      counters.map(async ({ file, rangeMicroJoules }) => {
        const microJoules = await numberIn(file);
        return microJoules === null ? null : { microJoules, rangeMicroJoules };
      }),
    );
    const known = counts.filter((count) => count !== null);
    return known.length === counts.length && known.length > 0 ? known : null;
  }

  async #readable(): Promise<readonly Counter[]> {
    const names = await readdir(this.folder).catch(() => []);
    const counters = await Promise.all(
      names
        .filter((name) => PACKAGE.test(name))
        .map(async (name) => {
          const file = path.join(this.folder, name, 'energy_uj');
          const range = await numberIn(path.join(this.folder, name, 'max_energy_range_uj'));
          if (range === null || (await numberIn(file)) === null) return null;
          return { file, rangeMicroJoules: range };
        }),
    );
    // Some packages without the others would not be what the machine has used.
    return counters.includes(null) ? [] : counters.filter((counter) => counter !== null);
  }
}

/** The energy of the time between two readings of the same counters. */
export const joulesBetween = (before: EnergyReading, after: EnergyReading): number =>
  before.reduce((sum, { microJoules: from, rangeMicroJoules }, index) => {
    const to = after[index]?.microJoules ?? from;
    return sum + (to >= from ? to - from : to - from + rangeMicroJoules);
  }, 0) * MICRO;

const numberIn = async (file: string): Promise<number | null> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : null;
};
