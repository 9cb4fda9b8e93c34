import { ObservationQuery, ObservationsQuery } from '#areas/observation/observation.queries.js';
import {
  type Observation,
  observations,
} from '#projections/observation/observations.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';
import { OBSERVATION_NEEDS } from './observation.needs.js';

export interface ListImagesOptions extends CommonOptions {
  readonly user: string;
  readonly page: number;
  readonly limit: number;
}

export interface ShowImageOptions extends CommonOptions {
  readonly id: string;
}

/** Of one image, by the names that the API has for them. */
export const shownImage = (image: Observation) => ({
  ingest_id: image.ingestId,
  status: image.problem ? 'stored_unverified' : 'ingested_verified',
  problem: image.problem,
  satellite_id: image.satelliteId,
  sensor_type: image.sensorType,
  resolution_meters: image.image?.place?.resolutionM ?? null,
  target_region: image.targetRegion,
  region_check: image.regionCheck,
  ground_station: image.groundStation,
  storage_tier: image.storageTier,
  content_sha256: image.sha256,
  content_bytes: image.contentBytes,
  media_type: image.mediaType,
  acquired_at: image.acquiredAt,
  acquired_from: image.acquiredFrom,
  ingested_at: image.ingestedAt,
});

/** A field in each line. */
export const imageText = (image: Observation): string =>
  inColumns(
    Object.entries(shownImage(image)).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' ? value.detail : String(value ?? '-'),
    ]),
  );

export const listImages = async (
  { user, page, limit }: ListImagesOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...OBSERVATION_NEEDS, projections: [observations] };
  const found = await withQuipu(invocation, needs, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    return quipu.queries.execute(new ObservationsQuery(accountId, page, limit));
  });
  const images = found.observations.map(shownImage);
  const rows = images.map(({ ingest_id, status, satellite_id, sensor_type, ...image }) => [
    ...[ingest_id, status, satellite_id, sensor_type],
    ...[String(image.content_bytes), image.acquired_at],
  ]);
  const header = ['ID', 'STATUS', 'SATELLITE', 'SENSOR', 'BYTES', 'ACQUIRED'];
  return {
    json: { observations: images, page, total_records: found.total },
    text: rows.length === 0 ? 'There are no images here.' : inColumns([header, ...rows]),
  };
};

/** The image of any account, as an Admin sees it. */
export const showImage = async (
  { id }: ShowImageOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...OBSERVATION_NEEDS, projections: [] };
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new ObservationQuery(id, 'admin')),
  );
  return { json: { observation: shownImage(found) }, text: imageText(found) };
};
