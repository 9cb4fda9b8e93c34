import { Inject, Injectable, Optional } from '@nestjs/common';
import { EnergyCounters, joulesBetween, POWERCAP } from '#platform/telemetry/energy-counters.js';

export const POWERCAP_FOLDER = Symbol('PowercapFolder');

/** Measures what the processors of this machine spend while something runs. */
@Injectable()
export class HostEnergy {
  readonly #counters: EnergyCounters;

  constructor(@Optional() @Inject(POWERCAP_FOLDER) folder: string = POWERCAP) {
    this.#counters = new EnergyCounters(folder);
  }

  /** Measures from now on, in joules; the result is null where nothing can be measured. */
  async start(): Promise<() => Promise<number | null>> {
    const before = await this.#counters.read();
    if (before === null) return () => Promise.resolve(null);
    return async () => {
      const after = await this.#counters.read();
      return after && joulesBetween(before, after);
    };
  }
}
