import { type Position } from './geometry.js';

/** A coordinate reference system that is known here. */
export interface System {
  readonly epsg: number;
  /** Metres of a unit where the system has true metres; null for degrees and for Mercator's. */
  readonly metresPerUnit: number | null;
  /** @returns undefined outside of the area in which the system is defined */
  readonly toDegrees: (x: number, y: number) => Position | undefined;
}

/** WGS 84; GRS 80 differs by a tenth of a millimetre in its minor axis. */
export const SEMI_MAJOR_M = 6_378_137;
const FLATTENING = 1 / 298.257223563;
export const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING);

const degrees = (radians: number): number => (radians * 180) / Math.PI;

/** WGS 84, ETRS89 and NAD83: they lie within two metres of each other. */
const GEOGRAPHIC: ReadonlySet<number> = new Set([4_326, 4_258, 4_269]);
const WEB_MERCATOR = 3_857;

/** Universal Transverse Mercator: the first code, and the zones that have one. */
const UTM = [
  { base: 32_600, zones: [1, 60], isSouth: false },
  { base: 32_700, zones: [1, 60], isSouth: true },
  { base: 25_800, zones: [28, 38], isSouth: false },
  { base: 26_900, zones: [1, 23], isSouth: false },
] as const;

/** Null for a system that is not known. */
export const systemOf = (epsg: number): System | null => {
  if (GEOGRAPHIC.has(epsg)) {
    return { epsg, metresPerUnit: null, toDegrees: (x, y) => [x, y] };
  }
  if (epsg === WEB_MERCATOR) {
    const toDegrees = (x: number, y: number): Position => [
      degrees(x / SEMI_MAJOR_M),
      degrees(Math.atan(Math.sinh(y / SEMI_MAJOR_M))),
    ];
    return { epsg, metresPerUnit: null, toDegrees };
  }
  const found = UTM.find(({ base, zones: [first, last] }) => {
    const zone = epsg - base;
    return zone >= first && zone <= last;
  });
  if (!found) return null;
  const meridian = 6 * (epsg - found.base) - 183;
  const northing = found.isSouth ? 10_000_000 : 0;
  const toDegrees = (x: number, y: number) => utmToDegrees(x - 500_000, y - northing, meridian);
  return { epsg, metresPerUnit: 1, toDegrees };
};

const SCALE = 0.9996;
/** The series of Krüger in the third flattening, to its fourth power: exact to micrometres. */
const N = FLATTENING / (2 - FLATTENING);
const RADIUS_M = (SEMI_MAJOR_M / (1 + N)) * (1 + N ** 2 / 4 + N ** 4 / 64);
const BETA = [
  N / 2 - (2 / 3) * N ** 2 + (37 / 96) * N ** 3 - (1 / 360) * N ** 4,
  N ** 2 / 48 + N ** 3 / 15 - (437 / 1_440) * N ** 4,
  (17 / 480) * N ** 3 - (37 / 840) * N ** 4,
  (4_397 / 161_280) * N ** 4,
] as const;
const DELTA = [
  2 * N - (2 / 3) * N ** 2 - 2 * N ** 3 + (116 / 45) * N ** 4,
  (7 / 3) * N ** 2 - (8 / 5) * N ** 3 - (227 / 45) * N ** 4,
  (56 / 15) * N ** 3 - (136 / 35) * N ** 4,
  (4_279 / 630) * N ** 4,
] as const;
/** The series holds for 3,000 km to both sides of the meridian, and to the poles. */
const [EASTING_MAX_M, NORTHING_MAX_M] = [3_000_000, 10_000_000];

const utmToDegrees = (east: number, north: number, meridian: number): Position | undefined => {
  if (Math.abs(east) > EASTING_MAX_M || Math.abs(north) > NORTHING_MAX_M) return undefined;
  const xi = north / (SCALE * RADIUS_M);
  const eta = east / (SCALE * RADIUS_M);
  let [xiOfSphere, etaOfSphere] = [xi, eta];
  for (const [n, beta] of BETA.entries()) {
    const turns = 2 * (n + 1);
    xiOfSphere -= beta * Math.sin(turns * xi) * Math.cosh(turns * eta);
    etaOfSphere -= beta * Math.cos(turns * xi) * Math.sinh(turns * eta);
  }
  const conformal = Math.asin(Math.sin(xiOfSphere) / Math.cosh(etaOfSphere));
  const latitude = DELTA.reduce(
    (sum, delta, n) => sum + delta * Math.sin(2 * (n + 1) * conformal),
    conformal,
  );
  const longitude = Math.atan2(Math.sinh(etaOfSphere), Math.cos(xiOfSphere));
  return [meridian + degrees(longitude), degrees(latitude)];
};
