import { Inject, Injectable } from '@nestjs/common';
import { type Alert } from '#events/alerts/alert.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { workerRigs } from '#projections/fleet/worker-rigs.projection.js';
import { ALERT_SETTINGS, type AlertSettings } from './alerts.settings.js';
import { RigFaults } from './rig-faults.port.js';

type RigDown = Alert & { readonly kind: 'rig_down' };

/** A worker that has been lost for longer is no longer part of the fleet. */
const LOST_MS_MAX = 86_400_000;

/**
 * The rigs that have been down for long enough. A rig of the catalog counts from the first look
 * that finds it down; the count is in memory, and a new leader begins it again.
 */
@Injectable()
export class DownRigs {
  #since: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly faults: RigFaults,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ALERT_SETTINGS) private readonly settings: AlertSettings,
  ) {}

  async look(signal: AbortSignal): Promise<readonly RigDown[]> {
    const down = [...(await this.#ofCatalog(signal)), ...(await this.#ofWorkers())];
    const until = new Date(this.clock.now() - this.settings.rigDownMs).toISOString();
    return down.filter(({ downSince }) => downSince <= until);
  }

  async #ofCatalog(signal: AbortSignal): Promise<readonly RigDown[]> {
    const faults = await this.faults.now(signal);
    const now = instant(this.clock);
    this.#since = new Map(faults.map(({ rig }) => [rig, this.#since.get(rig) ?? now]));
    return faults.map(({ rig, cause }) => {
      const downSince = this.#since.get(rig) ?? now;
      return { kind: 'rig_down', rig, cause, downSince };
    });
  }

  async #ofWorkers(): Promise<readonly RigDown[]> {
    const earliest = new Date(this.clock.now() - LOST_MS_MAX).toISOString();
    const lost: RigDown[] = [];
    for await (const { documents } of projectionPages(this.projections, workerRigs)) {
      for (const { document } of documents) {
        if (document.rig?.presence !== 'lost' || document.rig.changedAt < earliest) continue;
        const { rig, changedAt: downSince } = document.rig;
        lost.push({ kind: 'rig_down', rig, cause: 'lost', downSince });
      }
    }
    return lost;
  }
}
