import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type DeviceTelemetry } from './telemetry.js';

/** The tool of NVIDIA's driver. */
export const NVIDIA_SMI = 'nvidia-smi';

const FORMAT = '--format=csv,noheader,nounits';
const READINGS = '--query-gpu=temperature.gpu,power.draw,utilization.gpu,memory.used';
const TIMEOUT_MS = 5_000;
const MEBIBYTE = 1_048_576;

/**
 * The lines of a query of the driver's tool, one for each device in the order of their numbers.
 * @param query a `--query-gpu=…`
 * @throws Error with `code` `ENOENT` where there is no such tool
 */
export const queryDevices = async (
  query: string,
  tool: string = NVIDIA_SMI,
): Promise<readonly string[]> => {
  const { stdout } = await promisify(execFile)(tool, [query, FORMAT], { timeout: TIMEOUT_MS });
  return stdout.split('\n').filter((line) => line.trim() !== '');
};

/** @throws Error as `queryDevices` */
export const readDevices = async (tool?: string): Promise<readonly DeviceTelemetry[]> =>
  (await queryDevices(READINGS, tool)).map(readingsOf);

/** A device may state some readings only, and spells the others `[N/A]`, `[Not Supported]`. */
const readingsOf = (line: string): DeviceTelemetry => {
  const [temperatureC = null, powerW = null, utilisation = null, mebibytes = null] = line
    .split(',')
    .map((cell) => (/^\s*-?\d+(?:\.\d+)?\s*$/.test(cell) ? Number(cell) : null));
  return {
    temperatureC,
    powerW,
    utilisationPct: utilisation,
    memoryUsedBytes: mebibytes === null ? null : mebibytes * MEBIBYTE,
  };
};
