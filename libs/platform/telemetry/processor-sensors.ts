import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Where Linux shows sensors: a folder for each chip (`Documentation/hwmon/sysfs-interface`). */
export const HWMON = '/sys/class/hwmon';

/** Drivers whose sensors are in a processor. */
const PROCESSOR_CHIPS = new Set(['coretemp', 'k10temp', 'zenpower', 'cpu_thermal', 'fam15h_power']);
const TEMPERATURE = /^temp\d+_input$/;
const POWER = /^power\d+_(?:average|input)$/;
const MILLI = 1e-3;
const MICRO = 1e-6;
/** A sensor beyond is broken, or not connected. */
const CELSIUS = { min: -100, max: 200 } as const;

export interface ProcessorSensors {
  /** The hottest sensor, in degrees Celsius; null where there is none. */
  readonly temperatureC: number | null;
  /** All processors together; null where no sensor says it. */
  readonly powerW: number | null;
}

/** @param folder the folder of hwmon */
export const readProcessorSensors = async (folder: string = HWMON): Promise<ProcessorSensors> => {
  const chips = (await readdir(folder).catch(() => [])).map((name) => path.join(folder, name));
  const kinds = await Promise.all(chips.map((chip) => textIn(path.join(chip, 'name'))));
  const ofProcessors = chips.filter((_, index) => PROCESSOR_CHIPS.has(kinds[index] ?? ''));
  const temperatures = (await readAll(ofProcessors, TEMPERATURE))
    .map((value) => value * MILLI)
    .filter((celsius) => celsius >= CELSIUS.min && celsius <= CELSIUS.max);
  const powers = await readAll(ofProcessors, POWER);
  return {
    temperatureC: temperatures.length === 0 ? null : Math.max(...temperatures),
    powerW: powers.length === 0 ? null : powers.reduce((sum, one) => sum + one, 0) * MICRO,
  };
};

const readAll = async (chips: readonly string[], wanted: RegExp): Promise<readonly number[]> => {
  const texts = await Promise.all(
    chips.map(async (chip) => {
      const files = (await readdir(chip).catch(() => [])).filter((file) => wanted.test(file));
      return Promise.all(files.map((file) => textIn(path.join(chip, file))));
    }),
  );
  return texts
    .flat()
    .filter((text) => /^-?\d+$/.test(text))
    .map(Number);
};

/** Empty for a file that is absent or cannot be read. */
const textIn = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim();
