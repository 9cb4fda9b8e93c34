import { Inject, Injectable } from '@nestjs/common';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';
import { ContainerEngine } from './container.engine.js';
import { ProcessEngine } from './process.engine.js';
import { type RentalEngine, RentalFailure } from './rental-engine.js';

/** Picks the engine by the settings, when the first rental needs it. */
@Injectable()
export class RentalEngines {
  #picked: RentalEngine | undefined;

  constructor(
    @Inject(RENTAL_SETTINGS)
    private readonly settings: Pick<RentalSettings, 'engine' | 'image' | 'cgroup'>,
  ) {}

  /** @throws RentalFailure `rental_engine_missing` */
  async pick(): Promise<RentalEngine> {
    this.#picked ??= await this.#find();
    return this.#picked;
  }

  async #find(): Promise<RentalEngine> {
    const { engine, image, cgroup } = this.settings;
    if (engine === 'process') return new ProcessEngine(cgroup);
    const programs = engine === 'auto' ? ['docker', 'podman'] : [engine];
    for (const program of programs) {
      const found = new ContainerEngine({ program, image });
      if (await found.isPresent()) return found;
    }
    const message =
      `${programs.join(' and ')} do not answer on the machine that runs rentals: start one, or ` +
      'set QUIPU_RENTAL_ENGINE=process for trusted renters';
    throw new RentalFailure('rental_engine_missing', message);
  }
}
