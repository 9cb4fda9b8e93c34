import { describe, expect, it } from '@jest/globals';
import { boxGeometry, cutPolygon, intersects, type Position } from './geometry.js';
import { readRegion, REGION_POSITIONS_MAX, RegionError } from './region.js';

const regionOf = (text: string) => {
  const region = readRegion(text);
  if (!region) throw new Error(`${text} is no geometry`);
  return region;
};
const SQUARE = regionOf('POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))');

const GEOJSON = '{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}';

describe('a region', () => {
  it.each([
    ['POLYGON((0 0,10 0,10 10,0 10,0 0))'],
    ['SRID=4326; polygon ((0 0, 1e1 0, 10 +10, 0 10, 0 0))'],
    [GEOJSON],
    [`{"type":"Feature","geometry":${GEOJSON}}`],
  ])('is read from %s', (text) => {
    expect(readRegion(text)).toEqual(SQUARE);
  });

  it('has points and several polygons', () => {
    expect(readRegion('POINT (11.5 48.1)')).toEqual({ type: 'Point', coordinates: [11.5, 48.1] });
    const two = 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))';
    expect(readRegion(two)).toMatchObject({ type: 'MultiPolygon', coordinates: [[{}], [{}]] });
  });

  it.each(['the north of Crete', 'polygon of the lake', '', 'LINESTRING (0 0, 1 1)'])(
    'is no geometry in %j',
    (text) => {
      expect(readRegion(text)).toBeNull();
    },
  );

  it.each([
    ['POLYGON ((0 0, 1 0, 1 1))', 'rings'],
    ['POLYGON ((0 0, 1 0, 1 1, 2 2))', 'rings'],
    ['POLYGON ((0 0, 1 0, 1 1, 0 0)', 'brackets'],
    ['POLYGON ((0 0, 1 0, x 1, 0 0))', 'numbers'],
    ['POLYGON ((0 0, 200 0, 1 1, 0 0))', 'longitude'],
    ['POINT (0 95)', 'latitude'],
    ['POLYGON ((179 0, -179 0, -179 1, 179 1, 179 0))', 'antimeridian'],
    ['{"type":"Polygon"}', 'list'],
    ['{"type":"LineString","coordinates":[[0,0],[1,1]]}', 'Polygon'],
    ['{"type":', 'brackets'],
    ['{"type":"Polygon","coordinates":null}', 'list'],
  ])('is rejected by name in %s', (text, reason) => {
    expect(() => readRegion(text)).toThrow(RegionError);
    expect(() => readRegion(text)).toThrow(reason);
  });

  it('has a bounded number of positions', () => {
    const ring = Array.from({ length: REGION_POSITIONS_MAX + 1 }, () => '0 0').join(',');
    expect(() => readRegion(`POLYGON ((${ring}))`)).toThrow('at most 10000 positions');
  });
});

describe('two geometries', () => {
  it.each([
    ['POLYGON ((5 5, 15 5, 15 15, 5 15, 5 5))', true],
    ['POLYGON ((2 2, 3 2, 3 3, 2 3, 2 2))', true],
    ['POLYGON ((-5 -5, 15 -5, 15 15, -5 15, -5 -5))', true],
    ['POLYGON ((-5 4, 15 4, 15 6, -5 6, -5 4))', true],
    ['POLYGON ((10 0, 20 0, 20 10, 10 10, 10 0))', true],
    ['POLYGON ((11 0, 20 0, 20 10, 11 10, 11 0))', false],
    ['POLYGON ((-5 -5, 15 -5, 15 15, -5 15, -5 -5), (-1 -1, 11 -1, 11 11, -1 11, -1 -1))', false],
    ['POLYGON ((-5 -5, 15 -5, 15 15, -5 15, -5 -5), (1 1, 9 1, 9 9, 1 9, 1 1))', true],
    ['POLYGON ((9 12, 12 9, 13 13, 9 12))', false],
    ['POINT (5 5)', true],
    ['POINT (10 5)', true],
    ['POINT (10.1 5)', false],
  ])('with %s in common: %s', (text, expected) => {
    expect(intersects(SQUARE, regionOf(text))).toBe(expected);
    expect(intersects(regionOf(text), SQUARE)).toBe(expected);
  });

  it('meet over the antimeridian', () => {
    const east = boxGeometry([179, 0, -179, 1]);
    expect(intersects(east, boxGeometry([-179.5, 0, -178, 1]))).toBe(true);
    expect(intersects(east, boxGeometry([178, 0, 179.5, 1]))).toBe(true);
    expect(intersects(east, boxGeometry([170, 0, -170, 1]))).toBe(true);
    expect(intersects(east, boxGeometry([-170, 0, 170, 1]))).toBe(false);
    expect(intersects(east, boxGeometry([0, 0, 1, 1]))).toBe(false);
    const earth = regionOf('POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))');
    expect(intersects(earth, east)).toBe(true);
  });
});

describe('a ring over the antimeridian', () => {
  const ring = (from: number, to: number): readonly Position[] => [
    [from, 0],
    [to, 0],
    [to, 1],
    [from, 1],
    [from, 0],
  ];

  it('is cut into two polygons', () => {
    const { geometry, bbox } = cutPolygon(ring(179, 182));
    expect(bbox).toEqual([179, 0, -178, 1]);
    expect(geometry).toEqual({
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [179, 0],
            [180, 0],
            [180, 1],
            [179, 1],
            [179, 0],
          ],
        ],
        [
          [
            [-180, 0],
            [-178, 0],
            [-178, 1],
            [-180, 1],
            [-180, 0],
          ],
        ],
      ],
    });
  });

  it('is whole where it only reaches it', () => {
    expect(cutPolygon(ring(178, 180)).geometry.type).toBe('Polygon');
    expect(cutPolygon(ring(-180, -178)).bbox).toEqual([-180, 0, -178, 1]);
    expect(cutPolygon(ring(182, 184)).bbox).toEqual([-178, 0, -176, 1]);
  });
});
