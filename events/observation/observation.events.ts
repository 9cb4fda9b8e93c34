import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, Sha256Hex, UserId } from '../vocabulary.js';

const Count = z.int().nonnegative();
const Size = z.int().positive();
const Position = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]).readonly();
const Rings = z.array(z.array(Position).min(4).readonly()).min(1).readonly();

/** As GeoJSON has it (RFC 7946), cut at the antimeridian. */
const Footprint = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Polygon'), coordinates: Rings }),
  z.strictObject({ type: z.literal('MultiPolygon'), coordinates: z.array(Rings).readonly() }),
]);

/** West, south, east, north; west is above east over the antimeridian. */
export const BoundingBox = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly();
export type BoundingBox = z.infer<typeof BoundingBox>;

const Image = z.strictObject({
  width: Size,
  height: Size,
  bands: Size,
  dataType: z.string(),
  compression: z.string(),
  layout: z.enum(['stripped', 'tiled']),
  bigTiff: z.boolean(),
  overviews: Count,
  cloudOptimised: z.boolean(),
  noData: z.number().nullable(),
  /** Null: the file names no place in a known system. */
  place: z
    .strictObject({
      epsg: Size,
      resolutionM: z.number().positive(),
      transform: z.array(z.number()).length(6).readonly(),
      footprint: Footprint,
      bbox: BoundingBox,
    })
    .nullable(),
});

const ofObservation = {
  ingestId: z.uuid(),
  accountId: AccountId,
  acquiredAt: Instant,
  collection: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  contentBytes: Count,
};

/** In the stream `observation-<ingestId>`. */
export const ObservationIngested = defineEvent('ObservationIngested', {
  version: 1,
  schema: z.strictObject({
    ...ofObservation,
    userId: UserId,
    satelliteId: z.string().min(1).max(64),
    sensorType: z.string().min(1).max(64),
    /** As the caller wrote it. */
    targetRegion: z.string().max(65_536).nullable(),
    /** `not_checked`: a text that is no geometry, or an image without a place. */
    regionCheck: z.enum(['none', 'not_checked', 'overlaps', 'disjoint']),
    groundStation: z.string().min(1).max(128),
    acquiredFrom: z.enum(['request', 'file', 'arrival']),
    storageTier: z.enum(['hot', 'warm', 'cold']),
    /** Of the content below the compression of the payload. */
    sha256: Sha256Hex,
    payloadBytes: Count,
    payloadCompression: z.enum(['none', 'gzip', 'zlib']),
    mediaType: z.string(),
    blob: Sha256Hex,
    preview: z.strictObject({ blob: Sha256Hex, bytes: Size }).nullable(),
    image: Image.nullable(),
    /** Null: verified. */
    problem: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
    ingestedAt: Instant,
  }),
});
export type ObservationIngested = EventOf<typeof ObservationIngested>;

export const ObservationDeleted = defineEvent('ObservationDeleted', {
  version: 1,
  schema: z.strictObject({ ...ofObservation, deletedAt: Instant }),
});
export type ObservationDeleted = EventOf<typeof ObservationDeleted>;

export type ObservationEvent = ObservationIngested | ObservationDeleted;
export const observationEvents = [ObservationIngested, ObservationDeleted] as const;
