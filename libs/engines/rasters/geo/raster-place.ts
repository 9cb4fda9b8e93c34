import { RasterProblem } from '../rasters.errors.js';
import { type RasterPlace } from '../rasters.protocol.js';
import { type Directory } from '../tiff/directories.js';
import { cutPolygon, type Position } from './geometry.js';
import { ECCENTRICITY_SQUARED, SEMI_MAJOR_M, type System, systemOf } from './systems.js';

const TAG = { scale: 33_550, tiepoints: 33_922, transform: 34_264, keys: 34_735 } as const;
const KEY = {
  modelType: 1_024,
  rasterType: 1_025,
  geographic: 2_048,
  angularUnits: 2_054,
  projected: 3_072,
  linearUnits: 3_076,
} as const;

const [PROJECTED, GEOGRAPHIC] = [1, 2];
const PIXEL_IS_POINT = 2;
const [METRE, DEGREE] = [9_001, 9_102];
const KEYS_MAX = 1_024;
/** Positions on each side of the footprint: the sides of a projected image are curves. */
const SIDE_POSITIONS = 16;
const DECIMALS = 1e7;

type Transform = RasterPlace['transform'];

/**
 * GeoTIFF 1.1 (OGC 19-008r4): the place of an image on the Earth.
 * @throws RasterProblem `not_georeferenced`, `crs_unsupported`, `image_damaged`
 */
export const placeOf = (
  directory: Directory,
  { width, height }: { readonly width: number; readonly height: number },
): RasterPlace => {
  const keys = keysOf(directory);
  const system = knownSystem(keys);
  const transform = transformOf(directory, keys.get(KEY.rasterType) === PIXEL_IS_POINT);
  const ring = ringOf(transform, system, width, height);
  const { geometry, bbox } = cutPolygon(ring);
  const resolutionM = resolutionOf(transform, system, width / 2, height / 2);
  return { epsg: system.epsg, resolutionM, transform, footprint: geometry, bbox };
};

/** The keys with a short value; the others are names and parameters of unknown systems. */
const keysOf = (directory: Directory): ReadonlyMap<number, number> => {
  const [version, , , count = 0, ...entries] = directory.numbers(TAG.keys, 4 * (KEYS_MAX + 1));
  if (version === undefined)
    throw new RasterProblem('not_georeferenced', 'the file has no geokeys');
  const keys = new Map<number, number>();
  for (let n = 0; n < count && 4 * n + 3 < entries.length; n += 1) {
    const [key = 0, location = 0, , value = 0] = entries.slice(4 * n, 4 * n + 4);
    if (location === 0) keys.set(key, value);
  }
  return keys;
};

const knownSystem = (keys: ReadonlyMap<number, number>): System => {
  const model = keys.get(KEY.modelType);
  const [key, units, unit] =
    model === PROJECTED
      ? [KEY.projected, KEY.linearUnits, METRE]
      : [KEY.geographic, KEY.angularUnits, DEGREE];
  const epsg = keys.get(key);
  const isKnown = model === PROJECTED || model === GEOGRAPHIC;
  const system = isKnown && (keys.get(units) ?? unit) === unit ? systemOf(epsg ?? 0) : null;
  if (system) return system;
  const detail = `the coordinate reference system ${epsg ?? 'of the file'} is not known`;
  throw new RasterProblem('crs_unsupported', detail);
};

const transformOf = (directory: Directory, isPoint: boolean): Transform => {
  const matrix = directory.numbers(TAG.transform, 16);
  const [sx, sy] = directory.numbers(TAG.scale, 3);
  const [i = 0, j = 0, , x, y] = directory.numbers(TAG.tiepoints, 6 * 1_000);
  let transform: Transform;
  if (matrix.length === 16) {
    const [a = 0, b = 0, , c = 0, d = 0, e = 0, , f = 0] = matrix;
    transform = [a, b, c, d, e, f];
  } else if (sx !== undefined && sy !== undefined && x !== undefined && y !== undefined) {
    transform = [sx, 0, x - i * sx, 0, -sy, y + j * sy];
  } else {
    throw new RasterProblem('not_georeferenced', 'the file has neither a scale nor a transform');
  }
  const [a, b, c, d, e, f] = transform;
  const area = Math.abs(a * e - b * d);
  if (!transform.every(Number.isFinite) || !(area > 0)) {
    throw new RasterProblem('not_georeferenced', 'the pixels of the file have no area');
  }
  // The coordinates are of the middle of a pixel, and the transform is of its corner.
  return isPoint ? [a, b, c - (a + b) / 2, d, e, f - (d + e) / 2] : transform;
};

const applied = ([a, b, c, d, e, f]: Transform, column: number, row: number) =>
  [a * column + b * row + c, d * column + e * row + f] as const;

const degreesAt = (transform: Transform, system: System, column: number, row: number): Position => {
  const found = system.toDegrees(...applied(transform, column, row));
  const [longitude, latitude] = found ?? [NaN, NaN];
  if (!(Math.abs(longitude) <= 720) || !(Math.abs(latitude) <= 90.5)) {
    throw new RasterProblem('not_georeferenced', 'a corner of the image is not on the Earth');
  }
  const rounded = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;
  return [rounded(longitude), rounded(Math.min(90, Math.max(-90, latitude)))];
};

/** Counter-clockwise, with unwrapped longitudes. */
const ringOf = (
  transform: Transform,
  system: System,
  width: number,
  height: number,
): readonly Position[] => {
  const corners = [
    [0, 0],
    [0, height],
    [width, height],
    [width, 0],
  ] as const;
  const steps = system.metresPerUnit === null ? 1 : SIDE_POSITIONS;
  const ring = corners.flatMap(([column, row], n) => {
    const [toColumn, toRow] = corners[(n + 1) % corners.length] ?? [0, 0];
    return Array.from({ length: steps }, (_, step): Position => {
      const part = step / steps;
      const at = [column + part * (toColumn - column), row + part * (toRow - row)] as const;
      return degreesAt(transform, system, ...at);
    });
  });
  const [first] = ring;
  const closed = first ? [...ring, first] : ring;
  return areaOf(closed) < 0 ? closed.toReversed() : closed;
};

/** Twice the area; above zero for a ring that runs counter-clockwise. */
const areaOf = (ring: readonly Position[]): number =>
  ring.reduce((sum, [x, y], n) => {
    const [beforeX, beforeY] = ring[n - 1] ?? [x, y];
    return sum + beforeX * y - x * beforeY;
  }, 0);

/** The side of a square with the area of the pixel in the middle. */
const resolutionOf = (
  transform: Transform,
  system: System,
  column: number,
  row: number,
): number => {
  const [a, b, , d, e] = transform;
  if (system.metresPerUnit !== null)
    return Math.sqrt(Math.abs(a * e - b * d)) * system.metresPerUnit;
  const [x, y] = applied(transform, column, row);
  const at = (dx: number, dy: number) => system.toDegrees(x + dx, y + dy) ?? [0, 0];
  const [, latitude] = at(0, 0);
  const sine = Math.sin((latitude * Math.PI) / 180);
  const narrowing = 1 - ECCENTRICITY_SQUARED * sine ** 2;
  // Metres of a degree along the parallel and along the meridian.
  const degree = (SEMI_MAJOR_M * Math.PI) / 180 / Math.sqrt(narrowing);
  const eastM = degree * Math.sqrt(1 - sine ** 2);
  const northM = (degree * (1 - ECCENTRICITY_SQUARED)) / narrowing;
  const way = (dx: number, dy: number): Position => {
    const [[west, south], [east, north]] = [at(-dx / 2, -dy / 2), at(dx / 2, dy / 2)];
    return [(east - west) * eastM, (north - south) * northM];
  };
  const [along, down] = [way(a, d), way(b, e)];
  return Math.sqrt(Math.abs(along[0] * down[1] - along[1] * down[0]));
};
