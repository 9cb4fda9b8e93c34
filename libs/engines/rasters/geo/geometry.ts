/** Longitude and latitude in degrees. */
export type Position = readonly [number, number];

/** The first ring is the outer one, the others are holes. The last position repeats the first. */
export type PolygonRings = readonly (readonly Position[])[];

/** A GeoJSON geometry (RFC 7946). */
export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'Polygon'; readonly coordinates: PolygonRings }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly PolygonRings[] };

/** A place that a caller names. */
export type Region = Geometry;

const FULL_TURN = 360;

const polygonsOf = (geometry: Geometry): readonly PolygonRings[] => {
  switch (geometry.type) {
    case 'Point':
      return [[[geometry.coordinates]]];
    case 'Polygon':
      return [geometry.coordinates];
    case 'MultiPolygon':
      return geometry.coordinates;
  }
};

/**
 * Whether two geometries have a position in common. Edges are straight in degrees and polygons are
 * cut at the antimeridian, as RFC 7946 has them.
 */
export const intersects = (one: Geometry, other: Geometry): boolean =>
  polygonsOf(one).some((a) =>
    polygonsOf(other).some((b) =>
      [-FULL_TURN, 0, FULL_TURN].some((turn) =>
        polygonsMeet(
          a,
          b.map((ring) => moved(ring, turn)),
        ),
      ),
    ),
  );

const moved = (ring: readonly Position[], turn: number): readonly Position[] =>
  turn === 0 ? ring : ring.map(([longitude, latitude]) => [longitude + turn, latitude]);

/** Without a common edge one of them is in the other, or in none. */
const polygonsMeet = (a: PolygonRings, b: PolygonRings): boolean => {
  if (!boxesMeet(a, b)) return false;
  return (
    a.some((ring) => ring.slice(0, 1).some((position) => contains(b, position))) ||
    b.some((ring) => ring.slice(0, 1).some((position) => contains(a, position))) ||
    a.some((ring) => b.some((other) => ringsMeet(ring, other)))
  );
};

type Box = readonly [number, number, number, number];

const boxOf = (positions: readonly Position[]): Box => {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [longitude, latitude] of positions) {
    box[0] = Math.min(box[0], longitude);
    box[1] = Math.min(box[1], latitude);
    box[2] = Math.max(box[2], longitude);
    box[3] = Math.max(box[3], latitude);
  }
  return box;
};

const boxesMeet = (a: PolygonRings, b: PolygonRings): boolean => {
  const [west, south, east, north] = boxOf(a[0] ?? []);
  const [otherWest, otherSouth, otherEast, otherNorth] = boxOf(b[0] ?? []);
  return west <= otherEast && otherWest <= east && south <= otherNorth && otherSouth <= north;
};

/** By the edges that a ray to the east crosses; a position on an edge is in the polygon. */
const contains = (rings: PolygonRings, [x, y]: Position): boolean => {
  let isInside = false;
  for (const ring of rings) {
    for (let n = 1; n < ring.length; n += 1) {
      const [[ax, ay], [bx, by]] = [ring[n - 1] ?? [0, 0], ring[n] ?? [0, 0]];
      if (isOn([ax, ay], [bx, by], [x, y])) return true;
      const crosses = ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax;
      if (crosses) isInside = !isInside;
    }
    const [only] = ring;
    if (ring.length === 1 && only?.[0] === x && only[1] === y) return true;
  }
  return isInside;
};

/** Above zero where `c` lies to the left of the way from `a` to `b`. */
const side = ([ax, ay]: Position, [bx, by]: Position, [cx, cy]: Position): number =>
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

const isOn = (a: Position, b: Position, c: Position): boolean =>
  side(a, b, c) === 0 &&
  Math.min(a[0], b[0]) <= c[0] &&
  c[0] <= Math.max(a[0], b[0]) &&
  Math.min(a[1], b[1]) <= c[1] &&
  c[1] <= Math.max(a[1], b[1]);

const ringsMeet = (a: readonly Position[], b: readonly Position[]): boolean =>
  a.some((end, n) => {
    const start = a[n - 1];
    return (
      start !== undefined &&
      b.some((otherEnd, m) => {
        const otherStart = b[m - 1];
        return otherStart !== undefined && edgesMeet(start, end, otherStart, otherEnd);
      })
    );
  });

const edgesMeet = (a: Position, b: Position, c: Position, d: Position): boolean => {
  const cutsAb = Math.sign(side(a, b, c)) * Math.sign(side(a, b, d));
  const cutsCd = Math.sign(side(c, d, a)) * Math.sign(side(c, d, b));
  if (cutsAb < 0 && cutsCd < 0) return true;
  return isOn(a, b, c) || isOn(a, b, d) || isOn(c, d, a) || isOn(c, d, b);
};

/** A box as RFC 7946 has it: west is above east over the antimeridian. */
export const boxGeometry = ([west, south, east, north]: Box): Geometry => {
  const ring = (from: number, to: number): PolygonRings => [
    [
      [from, south],
      [to, south],
      [to, north],
      [from, north],
      [from, south],
    ],
  ];
  return west > east
    ? { type: 'MultiPolygon', coordinates: [ring(west, 180), ring(-180, east)] }
    : { type: 'Polygon', coordinates: ring(west, east) };
};

/**
 * A ring of unwrapped longitudes as a polygon, cut at the antimeridian where it passes it.
 * @param ring counter-clockwise, with its first position repeated at its end
 */
export const cutPolygon = (
  ring: readonly Position[],
): { readonly geometry: Geometry; readonly bbox: Box } => {
  const [west] = boxOf(ring);
  const turn = -FULL_TURN * Math.floor((west + 180) / FULL_TURN);
  const placed = moved(ring, turn);
  const [from, south, to, north] = boxOf(placed);
  if (to <= 180) {
    return { geometry: { type: 'Polygon', coordinates: [placed] }, bbox: [from, south, to, north] };
  }
  const before = clipped(placed, (longitude) => longitude <= 180);
  const after = moved(
    clipped(placed, (longitude) => longitude >= 180),
    -FULL_TURN,
  );
  const isAround = to - from >= FULL_TURN;
  return {
    geometry: { type: 'MultiPolygon', coordinates: [[before], [after]] },
    bbox: isAround ? [-180, south, 180, north] : [from, south, to - FULL_TURN, north],
  };
};

/** The part of a ring on one side of the meridian of 180 degrees. */
const clipped = (
  ring: readonly Position[],
  isInside: (longitude: number) => boolean,
): readonly Position[] => {
  const kept: Position[] = [];
  for (const [n, end] of ring.entries()) {
    const start = ring[n - 1];
    if (start && isInside(start[0]) !== isInside(end[0])) {
      const part = (180 - start[0]) / (end[0] - start[0]);
      kept.push([180, start[1] + part * (end[1] - start[1])]);
    }
    if (isInside(end[0])) kept.push(end);
  }
  const [first] = kept;
  const last = kept.at(-1);
  const isClosed = first && last && first[0] === last[0] && first[1] === last[1];
  return first && !isClosed ? [...kept, first] : kept;
};
