import { type ImportedElements } from '#areas/orbit/import-elements.handler.js';
import { type RegisteredStation } from '#areas/orbit/change-stations.handlers.js';
import { type ListedSatellites, type ListedStations } from '#areas/orbit/list.queries.js';
import { type Pass, type PassPoint } from '#areas/orbit/orbits.engine.js';
import { type FoundPasses } from '#areas/orbit/passes.query.js';
import { type SatelliteElements } from '#projections/orbit/satellites.projection.js';
import { type Station } from '#projections/orbit/stations.projection.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type ImportedElementsDto,
  type OrbitPageDto,
  type PassDto,
  type PassesQueryDto,
  type PassListDto,
  type PassPointDto,
  type SatelliteDto,
  type SatelliteListDto,
  type StationAnswerDto,
  type StationDto,
  type StationListDto,
} from './orbit.dto.js';

const LIGHT_KM_PER_SEC = 299_792.458;
const MS_PER_SECOND = 1_000;

export const isoOf = (ms: number): string => new Date(Math.round(ms)).toISOString();

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

export const presentStation = (station: Station): StationDto => ({
  station_id: station.stationId,
  name: station.name,
  latitude_deg: station.latitudeDeg,
  longitude_deg: station.longitudeDeg,
  height_m: station.heightM,
  min_elevation_deg: station.minElevationDeg,
  registered_at: station.registeredAt,
});

export const presentSatellite = (satellite: SatelliteElements): SatelliteDto => ({
  satellite_id: satellite.satelliteId,
  name: satellite.name,
  element_epoch: satellite.epoch,
  element_format: satellite.elements.format,
  source: satellite.source,
  imported_at: satellite.importedAt,
});

export const presentRegistered = ({ station, position }: RegisteredStation): StationAnswerDto => ({
  success: true,
  station: presentStation(station),
  position: position.toString(),
});

export const presentStations = (query: OrbitPageDto, found: ListedStations): StationListDto => ({
  ...presentPage(query, found),
  stations: found.found.map(presentStation),
  built_in: found.builtIn.map(presentStation),
});

export const presentSatellites = (
  query: OrbitPageDto,
  found: ListedSatellites,
): SatelliteListDto => ({
  ...presentPage(query, found),
  satellites: found.found.map(presentSatellite),
  built_in: found.builtIn.map(presentSatellite),
});

export const presentImported = ({ format, satellites }: ImportedElements): ImportedElementsDto => {
  const imported = satellites.filter(({ isNew }) => isNew).length;
  return {
    success: true,
    format,
    imported,
    unchanged: satellites.length - imported,
    satellites: satellites.map(({ satelliteId, name, epoch, isNew }) => ({
      satellite_id: satelliteId,
      name,
      element_epoch: epoch,
      status: isNew ? 'imported' : 'unchanged',
    })),
  };
};

const presentPoint = (point: PassPoint, frequencyHz: number | null): PassPointDto => ({
  at: isoOf(point.atMs),
  azimuth_deg: rounded(point.azimuthDeg, 3),
  elevation_deg: rounded(point.elevationDeg, 3),
  range_km: rounded(point.rangeKm, 3),
  range_rate_km_per_sec: rounded(point.rangeRateKmPerSec, 6),
  doppler_hz:
    frequencyHz === null
      ? null
      : rounded((-frequencyHz * point.rangeRateKmPerSec) / LIGHT_KM_PER_SEC, 1),
  sunlit: point.sunlit,
});

export const presentPasses = (
  { page, limit, frequency_hz: asked }: PassesQueryDto,
  found: FoundPasses,
): PassListDto => {
  const { station, satellite, window, passes } = found;
  const frequencyHz = asked ?? null;
  const present = (pass: Pass): PassDto => ({
    aos: pass.aos && presentPoint(pass.aos, frequencyHz),
    culmination: presentPoint(pass.highest, frequencyHz),
    tca: presentPoint(pass.closest, frequencyHz),
    los: pass.los && presentPoint(pass.los, frequencyHz),
    max_elevation_deg: rounded(pass.highest.elevationDeg, 3),
    duration_sec: rounded(
      ((pass.los?.atMs ?? window.toMs) - (pass.aos?.atMs ?? window.fromMs)) / MS_PER_SECOND,
      2,
    ),
  });
  return {
    success: true,
    station_id: station.stationId,
    satellite_id: satellite.satelliteId,
    station: presentStation(station),
    satellite: presentSatellite(satellite),
    from: isoOf(window.fromMs),
    to: isoOf(window.toMs),
    min_elevation_deg: found.minElevationDeg,
    frequency_hz: frequencyHz,
    element_age_days: rounded(found.elementAgeDays, 3),
    warning: found.warning,
    page,
    limit,
    total_records: passes.length,
    total_pages: Math.ceil(passes.length / limit),
    passes: passes.slice((page - 1) * limit, page * limit).map(present),
  };
};
