import { type FoundSkyPath, type FoundTrack } from '#areas/orbit/path.queries.js';
import { isoOf } from './orbit.presenter.js';

/** Of names, which anyone may have written. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const STYLE =
  'text{font:12px sans-serif;fill:#222}.grid{stroke:#ccc;fill:none}.edge{stroke:#666;fill:none}' +
  '.path{stroke:#06c;stroke-width:2;fill:none}.start{fill:#090}.end{fill:#c00}';

const documentOf = (width: number, height: number, title: string, parts: readonly string[]) =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    `<text x="10" y="${height - 8}">${escaped(title)}</text>`,
    '</svg>',
    '',
  ].join('\n');

interface Point {
  readonly x: number;
  readonly y: number;
}

const pathOf = (points: readonly Point[]): string =>
  points.length < 2
    ? ''
    : `<polyline class="path" points="${points
        .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
        .join(' ')}"/>`;

const dot = (point: Point | undefined, name: 'start' | 'end'): string =>
  point
    ? `<circle class="${name}" cx="${point.x.toFixed(1)}" cy="${point.y.toFixed(1)}" r="4"/>`
    : '';

const MAP = { width: 760, height: 400, left: 20, top: 10, perDegree: 2 } as const;
const GRID_DEG = 30;

/** A map of equal degrees. The track is cut where it crosses the date line. */
export const groundTrackSvg = ({ satellite, window, points }: FoundTrack): string => {
  const { width, height, left, top, perDegree } = MAP;
  const at = (longitude: number, latitude: number): Point => ({
    x: left + (longitude + 180) * perDegree,
    y: top + (90 - latitude) * perDegree,
  });
  const meridians = Array.from({ length: 13 }, (_, n) => n * GRID_DEG - 180);
  const parallels = Array.from({ length: 7 }, (_, n) => n * GRID_DEG - 90);
  const line = (one: Point, other: Point): string =>
    `<line class="grid" x1="${one.x}" y1="${one.y}" x2="${other.x}" y2="${other.y}"/>`;
  const grid = [
    ...meridians.map((longitude) => line(at(longitude, 90), at(longitude, -90))),
    ...parallels.map((latitude) => line(at(-180, latitude), at(180, latitude))),
  ];
  const pieces: Point[][] = [[]];
  let before: number | null = null;
  for (const { longitudeDeg, latitudeDeg } of points) {
    if (before !== null && Math.abs(longitudeDeg - before) > 180) pieces.push([]);
    pieces.at(-1)?.push(at(longitudeDeg, latitudeDeg));
    before = longitudeDeg;
  }
  const title = `${satellite.name}, ${isoOf(window.fromMs)} to ${isoOf(window.toMs)}`;
  return documentOf(width, height, title, [
    ...grid,
    ...pieces.map(pathOf),
    dot(pieces[0]?.[0], 'start'),
    dot(pieces.at(-1)?.at(-1), 'end'),
  ]);
};

const SKY = { size: 440, height: 470, radius: 200 } as const;
const ELEVATIONS_DEG = [0, 30, 60] as const;
const COMPASS = [
  ['N', 0],
  ['E', 90],
  ['S', 180],
  ['W', 270],
] as const;

/** The sky from below: the zenith in the middle, north above and east at the right. */
export const skyPlotSvg = ({ satellite, station, pass, points }: FoundSkyPath): string => {
  const { size, height, radius } = SKY;
  const at = (azimuthDeg: number, elevationDeg: number): Point => {
    const angle = (azimuthDeg / 180) * Math.PI;
    const distance = radius * (1 - elevationDeg / 90);
    return { x: size / 2 + distance * Math.sin(angle), y: size / 2 - distance * Math.cos(angle) };
  };
  const rings = ELEVATIONS_DEG.map(
    (elevation) =>
      `<circle class="${elevation === 0 ? 'edge' : 'grid'}" cx="${size / 2}" cy="${size / 2}" ` +
      `r="${(radius * (1 - elevation / 90)).toFixed(1)}"/>`,
  );
  const names = COMPASS.map(([name, azimuth]) => {
    const { x, y } = at(azimuth, -6);
    const place = `x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}"`;
    return `<text ${place} text-anchor="middle">${name}</text>`;
  });
  const path = points.map((point) => at(point.azimuthDeg, point.elevationDeg));
  const title =
    `${satellite.name} over ${station.name}, highest ${pass.highest.elevationDeg.toFixed(1)}° ` +
    `at ${isoOf(pass.highest.atMs)}`;
  return documentOf(size, height, title, [
    ...rings,
    ...names,
    pathOf(path),
    dot(path[0], 'start'),
    dot(path.at(-1), 'end'),
  ]);
};
