import { type Logger } from 'pino';
import { readDevices } from './device-table.js';
import { EnergyCounters, type EnergyReading, joulesBetween } from './energy-counters.js';
import {
  type ProcessorTicks,
  readMemoryUsedBytes,
  readProcessorTicks,
  utilisationPct,
} from './host-load.js';
import { readProcessorSensors } from './processor-sensors.js';
import { type Telemetry } from './telemetry.js';

export interface MachineTelemetryOptions {
  readonly logger: Pick<Logger, 'warn'>;
  /** Monotonic milliseconds; default: the clock of the process. */
  readonly nowMs?: () => number;
  /** Default: the folders of this machine, and the tool of NVIDIA's driver on the path. */
  readonly sources?: {
    readonly powercap?: string;
    readonly hwmon?: string;
    readonly proc?: string;
    readonly nvidiaSmi?: string;
  };
}

interface Counted {
  readonly atMs: number;
  readonly energy: EnergyReading | null;
  readonly ticks: ProcessorTicks | null;
}

const MS_PER_SECOND = 1_000;

/**
 * Reads the sensors of this machine. Power by the energy counters, and utilisation, are means over
 * the time since the reading before: the first reading has neither.
 */
export class MachineTelemetry {
  readonly #energy: EnergyCounters;
  readonly #nowMs: () => number;
  #last: Counted | undefined;
  #hasDevices = true;

  constructor(private readonly options: MachineTelemetryOptions) {
    this.#energy = new EnergyCounters(options.sources?.powercap);
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Never rejects: what cannot be read is null. */
  async read(): Promise<Telemetry> {
    const { hwmon, proc } = this.options.sources ?? {};
    const [energy, ticks, sensors, memoryUsedBytes, devices] = await Promise.all([
      this.#energy.read(),
      readProcessorTicks(proc),
      readProcessorSensors(hwmon),
      readMemoryUsedBytes(proc),
      this.#devices(),
    ]);
    const before = this.#last;
    const now = { atMs: this.#nowMs(), energy, ticks };
    this.#last = now;
    return {
      processors: {
        temperatureC: sensors.temperatureC,
        powerW: (before && powerBetween(before, now)) ?? sensors.powerW,
        utilisationPct: before?.ticks && ticks ? utilisationPct(before.ticks, ticks) : null,
      },
      memoryUsedBytes,
      devices,
    };
  }

  /** A machine without the tool is not asked again; one whose tool fails is. */
  async #devices(): Promise<Telemetry['devices']> {
    if (!this.#hasDevices) return null;
    try {
      const devices = await readDevices(this.options.sources?.nvidiaSmi);
      return devices.length > 0 ? devices : null;
    } catch (error) {
      this.#hasDevices = !(Error.isError(error) && 'code' in error && error.code === 'ENOENT');
      if (this.#hasDevices) this.options.logger.warn({ err: error }, 'the devices cannot be read');
      return null;
    }
  }
}

const powerBetween = (before: Counted, now: Counted): number | null => {
  const seconds = (now.atMs - before.atMs) / MS_PER_SECOND;
  if (!before.energy || !now.energy || seconds <= 0) return null;
  return joulesBetween(before.energy, now.energy) / seconds;
};
