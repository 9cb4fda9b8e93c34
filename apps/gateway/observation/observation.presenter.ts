import { type IngestAnswer } from '#areas/observation/ingest-observation.handler.js';
import { type ObservationPage } from '#areas/observation/observation.queries.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type IngestedDto,
  type ObservationDto,
  type ObservationListDto,
  type ObservationsPageDto,
} from './observation.dto.js';

/** The fields, which two answers have among others. */
type ObservationFields = Pick<ObservationDto, keyof ObservationDto>;

export const contentUrlOf = ({ ingestId }: Observation): string =>
  `/api/v1/space/observations/${ingestId}/content`;

export const previewUrlOf = ({ ingestId, preview }: Observation): string | null =>
  preview && `/api/v1/space/observations/${ingestId}/preview.png`;

export const itemUrlOf = ({ collection, ingestId }: Observation): string =>
  `/api/v1/stac/collections/${collection}/items/${ingestId}`;

export const presentObservation = (observation: Observation): ObservationFields => ({
  ingest_id: observation.ingestId,
  satellite_id: observation.satelliteId,
  sensor_type: observation.sensorType,
  resolution_meters: observation.image?.place?.resolutionM ?? null,
  target_region: observation.targetRegion,
  ground_station: observation.groundStation,
  storage_tier: observation.storageTier,
  status: observation.problem ? 'stored_unverified' : 'ingested_verified',
  problem: observation.problem,
  region_check: observation.regionCheck,
  content_sha256: observation.sha256,
  content_bytes: observation.contentBytes,
  payload_compression: observation.payloadCompression,
  media_type: observation.mediaType,
  acquired_at: observation.acquiredAt,
  acquired_from: observation.acquiredFrom,
  ingested_at: observation.ingestedAt,
  stac_item_url: itemUrlOf(observation),
  image_url: contentUrlOf(observation),
  preview_url: previewUrlOf(observation),
});

export const presentIngested = ({ observation, isDuplicate }: IngestAnswer): IngestedDto => ({
  success: true,
  ...presentObservation(observation),
  duplicate: isDuplicate,
});

export const presentObservations = (
  query: ObservationsPageDto,
  page: ObservationPage,
): ObservationListDto => ({
  ...presentPage(query, page),
  observations: page.observations.map(presentObservation),
});
