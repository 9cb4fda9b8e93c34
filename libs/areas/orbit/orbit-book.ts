import { Inject, Injectable } from '@nestjs/common';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type SatelliteElements,
  satelliteKey,
  satellites,
} from '#projections/orbit/satellites.projection.js';
import { type Station, stationKey, stations } from '#projections/orbit/stations.projection.js';
import { BUILT_IN_SATELLITES } from './built-in.satellites.js';
import { BUILT_IN_STATIONS } from './built-in.stations.js';
import { reject } from './orbit.errors.js';

/** The registered stations and imported elements, and those that ship with Quipu. */
@Injectable()
export class OrbitBook {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get' | 'list' | 'count'>,
  ) {}

  /** @throws DomainError `station_not_found` */
  async station(stationId: number): Promise<Station> {
    const builtIn = BUILT_IN_STATIONS.find((one) => one.stationId === stationId);
    if (builtIn) return builtIn;
    const { document } = await this.projections.get(stations, stationKey(stationId));
    return document?.station ?? reject('station_not_found', `there is no station ${stationId}`);
  }

  /**
   * The elements in force: imported ones, however old, replace those that ship.
   * @throws DomainError `satellite_not_found`
   */
  async satellite(satelliteId: number): Promise<SatelliteElements> {
    const { document } = await this.projections.get(satellites, satelliteKey(satelliteId));
    const builtIn = BUILT_IN_SATELLITES.find((one) => one.satelliteId === satelliteId);
    return (
      document?.satellite ??
      builtIn ??
      reject('satellite_not_found', `there are no elements of satellite ${satelliteId}`)
    );
  }

  async stations(page: number, limit: number): Promise<BookPage<Station>> {
    const { documents, position } = await this.projections.list(stations, pageOf(page, limit));
    const found = documents.flatMap(({ document }) => document.station ?? []);
    return { found, total: await this.projections.count(stations, ''), position };
  }

  async satellites(page: number, limit: number): Promise<BookPage<SatelliteElements>> {
    const { documents, position } = await this.projections.list(satellites, pageOf(page, limit));
    const found = documents.flatMap(({ document }) => document.satellite ?? []);
    return { found, total: await this.projections.count(satellites, ''), position };
  }
}

export interface BookPage<Record> {
  readonly found: readonly Record[];
  readonly total: number;
  readonly position: bigint;
}

const pageOf = (page: number, limit: number) =>
  ({ prefix: '', direction: 'forwards', limit, offset: (page - 1) * limit }) as const;
