import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type SatelliteElements } from '#projections/orbit/satellites.projection.js';
import { type Station } from '#projections/orbit/stations.projection.js';
import { OrbitBook } from './orbit-book.js';
import { OrbitRunner } from './orbit-runner.js';
import { ORBIT_SETTINGS, type OrbitSettings } from './orbit.settings.js';
import { type AskedWindow, type OrbitWindow, windowOf } from './orbit-window.js';
import { type Pass } from './orbits.engine.js';

export const PASSES_MS_DEFAULT = 3 * 86_400_000;
const MS_PER_DAY = 86_400_000;

export interface PassesAsked extends AskedWindow {
  readonly stationId: number;
  readonly satelliteId: number;
  /** Null: that of the station. */
  readonly minElevationDeg: number | null;
}

export interface FoundPasses {
  readonly station: Station;
  readonly satellite: SatelliteElements;
  readonly window: OrbitWindow;
  readonly minElevationDeg: number;
  /** From the epoch of the elements to the beginning of the window; below zero before the epoch. */
  readonly elementAgeDays: number;
  /** Null while the elements are young. */
  readonly warning: string | null;
  /** Of the whole window, in their order. */
  readonly passes: readonly Pass[];
}

/** The passes of a satellite over a station. */
export class PassesQuery extends Query<FoundPasses> {
  constructor(
    readonly accountId: string,
    readonly asked: PassesAsked,
  ) {
    super();
  }
}

@QueryHandler(PassesQuery)
export class PassesHandler implements IQueryHandler<PassesQuery> {
  constructor(
    private readonly book: OrbitBook,
    private readonly runner: OrbitRunner,
    @Inject(ORBIT_SETTINGS) private readonly settings: OrbitSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, OrbitFailure */
  async execute({ accountId, asked }: PassesQuery): Promise<FoundPasses> {
    const station = await this.book.station(asked.stationId);
    const satellite = await this.book.satellite(asked.satelliteId);
    const window = windowOf(asked, this.clock.now(), PASSES_MS_DEFAULT);
    const minElevationDeg = asked.minElevationDeg ?? station.minElevationDeg;
    const { latitudeDeg, longitudeDeg, heightM } = station;
    const { passes } = await this.runner.run(accountId, {
      kind: 'passes',
      elements: satellite.elements,
      ...window,
      place: { latitudeDeg, longitudeDeg, heightM },
      maskDeg: minElevationDeg,
    });
    const elementAgeDays = (window.fromMs - Date.parse(satellite.epoch)) / MS_PER_DAY;
    return {
      station,
      satellite,
      window,
      minElevationDeg,
      elementAgeDays,
      warning: warningOf(elementAgeDays, this.settings.elementDaysMax),
      passes,
    };
  }
}

/** The figure is that of the authors of python-sgp4, for an orbit near the Earth. */
const warningOf = (ageDays: number, daysMax: number): string | null => {
  const days = Math.abs(ageDays);
  if (days <= daysMax) return null;
  const side = ageDays > 0 ? 'after' : 'before';
  return (
    `The window begins ${days.toFixed(1)} days ${side} the epoch of the elements. Near the Earth ` +
    'a position is wrong by 1 to 3 km for each day, so the times may be far off: import new ' +
    'elements.'
  );
};
