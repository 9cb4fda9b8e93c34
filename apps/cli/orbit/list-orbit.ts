import { SatellitesQuery, StationsQuery } from '#areas/orbit/list.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ORBIT_NEEDS } from './orbit.needs.js';

export interface ListOptions extends CommonOptions {
  readonly page: number;
  readonly limit: number;
}

export const listStations = async (
  { page, limit }: ListOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { found, builtIn, total } = await withQuipu(invocation, ORBIT_NEEDS, ({ queries }) =>
    queries.execute(new StationsQuery(page, limit)),
  );
  const all = [...builtIn, ...found].map((station) => ({
    station_id: station.stationId,
    name: station.name,
    latitude_deg: station.latitudeDeg,
    longitude_deg: station.longitudeDeg,
    height_m: station.heightM,
    min_elevation_deg: station.minElevationDeg,
    registered_at: station.registeredAt,
  }));
  const rows = all.map((station) => Object.values(station).map((value) => String(value ?? '-')));
  const header = ['ID', 'NAME', 'LATITUDE', 'LONGITUDE', 'HEIGHT', 'MASK', 'REGISTERED'];
  return {
    json: { stations: all, page, total_records: total },
    text: inColumns([header, ...rows]),
  };
};

export const listSatellites = async (
  { page, limit }: ListOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { found, builtIn, total } = await withQuipu(invocation, ORBIT_NEEDS, ({ queries }) =>
    queries.execute(new SatellitesQuery(page, limit)),
  );
  const all = [...builtIn, ...found].map((satellite) => ({
    satellite_id: satellite.satelliteId,
    name: satellite.name,
    element_epoch: satellite.epoch,
    source: satellite.source,
    imported_at: satellite.importedAt,
  }));
  const rows = all.map((satellite) =>
    Object.values(satellite).map((value) => String(value ?? '-')),
  );
  const header = ['ID', 'NAME', 'EPOCH', 'SOURCE', 'IMPORTED'];
  return {
    json: { satellites: all, page, total_records: total },
    text: inColumns([header, ...rows]),
  };
};
