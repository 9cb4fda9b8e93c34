import { type PolygonRings, type Position, type Region } from './geometry.js';

export const REGION_POSITIONS_MAX = 10_000;

/** A text that begins like a geometry, and is none. */
export class RegionError extends Error {
  override readonly name = 'RegionError';
}

const WKT = /^\s*(?:SRID=4326;\s*)?(POINT|POLYGON|MULTIPOLYGON)\s*\(/i;

const fail = (message: string): never => {
  throw new RegionError(message);
};

/**
 * Well-known text or GeoJSON in degrees, longitude first; null for any other text.
 * @throws RegionError
 */
export const readRegion = (text: string): Region | null => {
  const kind = WKT.exec(text)?.[1]?.toUpperCase();
  if (kind !== undefined) return geometryOf(TYPES[kind] ?? kind, readWkt(text));
  return text.trimStart().startsWith('{') ? readGeoJson(text) : null;
};

const TYPES: Readonly<Record<string, string>> = {
  POINT: 'Point',
  POLYGON: 'Polygon',
  MULTIPOLYGON: 'MultiPolygon',
};

/** The numbers of a well-known text, with the nesting of its brackets. */
const readWkt = (text: string): unknown => {
  const body = text.slice(text.indexOf('('));
  let [json, position] = ['', [] as string[]];
  for (const token of body.match(/[(),]|[^\s(),]+/g) ?? []) {
    const isMark = token === '(' || token === ')' || token === ',';
    if (!isMark) {
      position.push(Number.isFinite(Number(token)) ? token : fail('expected numbers'));
      continue;
    }
    if (position.length > 0) json += JSON.stringify(position.map(Number));
    json += MARKS[token];
    position = [];
  }
  const nested = parse(json);
  return /POINT/i.test(text) && Array.isArray(nested) ? nested[0] : nested;
};

const HALF_TURN = 180;

const MARKS = { '(': '[', ')': ']', ',': ',' } as const;

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return fail('expected well-known text or GeoJSON, received brackets that do not match');
  }
};

const readGeoJson = (text: string): Region => {
  const parsed = parse(text) as Readonly<Record<string, unknown>>;
  const { type, coordinates } =
    parsed['type'] === 'Feature'
      ? ((parsed['geometry'] ?? {}) as Readonly<Record<string, unknown>>)
      : parsed;
  return geometryOf(typeof type === 'string' ? type : '', coordinates);
};

const geometryOf = (type: string, coordinates: unknown): Region => {
  const counter = { positions: 0 };
  switch (type) {
    case 'Point':
      return { type, coordinates: positionOf(coordinates, counter) };
    case 'Polygon':
      return { type, coordinates: polygonOf(coordinates, counter) };
    case 'MultiPolygon':
      return { type, coordinates: listOf(coordinates).map((one) => polygonOf(one, counter)) };
    default:
      return fail('expected a Point, a Polygon or a MultiPolygon');
  }
};

interface Counter {
  positions: number;
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value.length > 0 ? value : fail('expected a list of positions');

const polygonOf = (value: unknown, counter: Counter): PolygonRings =>
  listOf(value).map((ring) => {
    const positions = listOf(ring).map((one) => positionOf(one, counter));
    const [first] = positions;
    const last = positions.at(-1);
    const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1];
    if (positions.length < 4 || !isClosed) {
      fail('expected rings of four positions or more, of which the last is the first');
    }
    // Such an edge may be meant to run the other way around.
    const isAmbiguous = positions.some(([longitude], n) => {
      const way = Math.abs(longitude - (positions[n - 1]?.[0] ?? longitude));
      return way > HALF_TURN && way < 2 * HALF_TURN;
    });
    if (isAmbiguous) fail('expected polygons that are cut at the antimeridian (a MultiPolygon)');
    return positions;
  });

const positionOf = (value: unknown, counter: Counter): Position => {
  counter.positions += 1;
  if (counter.positions > REGION_POSITIONS_MAX) {
    fail(`expected at most ${REGION_POSITIONS_MAX} positions`);
  }
  const [longitude, latitude, ...height] = listOf(value);
  const isPlace =
    typeof longitude === 'number' &&
    typeof latitude === 'number' &&
    Math.abs(longitude) <= 180 &&
    Math.abs(latitude) <= 90 &&
    height.length <= 1;
  return isPlace
    ? [longitude, latitude]
    : fail('expected positions of longitude (-180 to 180) and latitude (-90 to 90)');
};
