import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type SatelliteElements } from '#projections/orbit/satellites.projection.js';
import { type Station } from '#projections/orbit/stations.projection.js';
import { BUILT_IN_SATELLITES } from './built-in.satellites.js';
import { BUILT_IN_STATIONS } from './built-in.stations.js';
import { type BookPage, OrbitBook } from './orbit-book.js';

export interface ListedStations extends BookPage<Station> {
  readonly builtIn: readonly Station[];
}

/** A page of the registered stations, by id. */
export class StationsQuery extends Query<ListedStations> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(StationsQuery)
export class StationsHandler implements IQueryHandler<StationsQuery> {
  constructor(private readonly book: OrbitBook) {}

  async execute({ page, limit }: StationsQuery): Promise<ListedStations> {
    return { ...(await this.book.stations(page, limit)), builtIn: BUILT_IN_STATIONS };
  }
}

export interface ListedSatellites extends BookPage<SatelliteElements> {
  readonly builtIn: readonly SatelliteElements[];
}

/** A page of the satellites with imported elements, by id. */
export class SatellitesQuery extends Query<ListedSatellites> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(SatellitesQuery)
export class SatellitesHandler implements IQueryHandler<SatellitesQuery> {
  constructor(private readonly book: OrbitBook) {}

  async execute({ page, limit }: SatellitesQuery): Promise<ListedSatellites> {
    return { ...(await this.book.satellites(page, limit)), builtIn: BUILT_IN_SATELLITES };
  }
}
