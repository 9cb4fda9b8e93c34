import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';

/** 1 ships with Quipu; registered stations are 2, 3, … */
export const StationId = z.int().positive();

/** The number of a satellite in the catalog of the U.S. Space Force. */
export const SatelliteId = z.int().positive().max(999_999_999);

export const StationName = z.string().min(1).max(100);

export const StationPlace = {
  latitudeDeg: z.number().min(-90).max(90),
  longitudeDeg: z.number().min(-180).max(180),
  /** Above the ellipsoid of WGS 84. */
  heightM: z.number().min(-500).max(9_000),
  /** A satellite below this elevation is not received. */
  minElevationDeg: z.number().min(0).lt(90),
};

/** In the stream `orbit-stations`. */
export const StationRegistered = defineEvent('StationRegistered', {
  version: 1,
  schema: z.strictObject({
    stationId: StationId,
    name: StationName,
    ...StationPlace,
    registeredAt: Instant,
  }),
});
export type StationRegistered = EventOf<typeof StationRegistered>;

export const StationRetired = defineEvent('StationRetired', {
  version: 1,
  schema: z.strictObject({ stationId: StationId, retiredAt: Instant }),
});
export type StationRetired = EventOf<typeof StationRetired>;

/** Two lines as they were published: no number is rounded again. */
const TwoLines = z.strictObject({
  format: z.literal('tle'),
  line1: z.string().length(69),
  line2: z.string().length(69),
});

const Angle = z.number().min(0).max(360);

/** The fields of an Orbit Mean-Elements Message that SGP4 reads. */
const MeanElements = z.strictObject({
  format: z.literal('omm'),
  epoch: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  /** Revolutions per day. */
  meanMotion: z.number().positive().max(20),
  eccentricity: z.number().nonnegative().lt(1),
  inclinationDeg: z.number().min(0).max(180),
  ascendingNodeDeg: Angle,
  pericenterDeg: Angle,
  meanAnomalyDeg: Angle,
  bstar: z.number().min(-10).max(10),
});

/** In the stream `orbit-satellite-<satelliteId>`; the newest epoch is in force. */
export const ElementsImported = defineEvent('ElementsImported', {
  version: 1,
  schema: z.strictObject({
    satelliteId: SatelliteId,
    name: z.string().min(1).max(100),
    epoch: Instant,
    elements: z.discriminatedUnion('format', [TwoLines, MeanElements]),
    /** Where they come from, as the importer names it. */
    source: z.string().min(1).max(200),
    importedAt: Instant,
  }),
});
export type ElementsImported = EventOf<typeof ElementsImported>;

export type StationEvent = StationRegistered | StationRetired;

export const stationEvents = [StationRegistered, StationRetired] as const;
export const elementsEvents = [ElementsImported] as const;
export const orbitEvents = [...stationEvents, ...elementsEvents] as const;
