import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable, Optional } from '@nestjs/common';

/** Where Linux shows the energy counters of processors (Running Average Power Limit). */
const POWERCAP = '/sys/class/powercap';
/** A package of a processor; its parts are listed below it and are in its count. */
const PACKAGE = /^intel-rapl:\d+$/;
const MICRO = 1e-6;

export const POWERCAP_FOLDER = Symbol('PowercapFolder');

interface Counter {
  readonly file: string;
  /** Where the counter starts again from zero. */
  readonly rangeMicroJoules: number;
}

/**
 * Reads the energy counters of this machine, where its kernel lets this process read them. They
 * count everything that the processors did, of which a run is a part.
 */
@Injectable()
export class HostEnergy {
  #counters: Promise<readonly Counter[]> | undefined;

  constructor(@Optional() @Inject(POWERCAP_FOLDER) private readonly folder: string = POWERCAP) {}

  /** Measures from now on; the result is null where nothing can be measured. */
  async start(): Promise<() => Promise<number | null>> {
    this.#counters ??= this.#readable();
    const counters = await this.#counters;
    if (counters.length === 0) return () => Promise.resolve(null);
    const before = await Promise.all(counters.map(microJoulesOf));
    return async () => {
      const after = await Promise.all(counters.map(microJoulesOf));
      const spent = counters.map(({ rangeMicroJoules }, n) => {
        const [from, to] = [before[n] ?? null, after[n] ?? null];
        if (from === null || to === null) return null;
        return to >= from ? to - from : to - from + rangeMicroJoules;
      });
      return spent.includes(null)
        ? null
        : spent.reduce<number>((sum, one) => sum + (one ?? 0), 0) * MICRO;
    };
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

const microJoulesOf = ({ file }: Counter): Promise<number | null> => numberIn(file);

const numberIn = async (file: string): Promise<number | null> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : null;
};
