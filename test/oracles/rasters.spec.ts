/** GeoTIFF files that GDAL writes: the engine reads the same samples, and places them alike. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import { type Position } from '#engines/rasters/geo/geometry.js';
import { runRasterTask } from '#engines/rasters/raster-task.js';
import { readTiff } from '#engines/rasters/tiff/directories.js';
import { layoutOf } from '#engines/rasters/tiff/image-layout.js';
import { blocksOf } from '#engines/rasters/tiff/samples.js';

interface RecordedFile {
  readonly name: string;
  /** In base64. */
  readonly tiff: string;
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly dataType: string;
  readonly epsg: number | null;
  readonly transform: readonly number[];
  readonly noData: number | null;
  /** Of all samples of each band. */
  readonly sums: readonly number[];
  /** The last sample of each band. */
  readonly last: readonly number[];
  /** In degrees, counter-clockwise from the first pixel. */
  readonly corners: readonly Position[] | null;
}

const { files } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'rasters/vectors.json'), 'utf8'),
) as { readonly files: readonly RecordedFile[] };

const fileOf = (name: string): RecordedFile => {
  const found = files.find((one) => one.name === name);
  if (!found) throw new Error(`the record has no ${name}`);
  return found;
};
const contentOf = ({ tiff }: RecordedFile): Uint8Array =>
  new Uint8Array(Buffer.from(tiff, 'base64'));
const endOf = (file: RecordedFile) => runRasterTask({ payload: contentOf(file), region: null });

const PROBLEMS: Readonly<Record<string, string>> = {
  polar: 'crs_unsupported',
  jpeg: 'image_unsupported',
  'no-place': 'not_georeferenced',
};
const readable = files.filter(({ name }) => name !== 'jpeg');
const placed = files.filter(({ name }) => PROBLEMS[name] === undefined);

/** Every sample of each band, and the last one. */
const samplesOf = (file: RecordedFile) => {
  const content = contentOf(file);
  const { file: bytes, directories } = readTiff(content);
  const [main] = directories;
  if (!main) throw new Error('no image');
  const layout = layoutOf(main, content.length);
  const { width, height, bands, isPlanar } = layout;
  const sums = Array.from({ length: bands }, () => 0);
  const last = [...sums];
  for (const { plane, column, row, read } of blocksOf(bytes, layout)) {
    for (let y = row; y < Math.min(height, row + layout.blockHeight); y += 1) {
      for (let x = column; x < Math.min(width, column + layout.blockWidth); x += 1) {
        for (const band of isPlanar ? [plane] : sums.keys()) {
          const value = read(x - column, y - row, band);
          sums[band] = (sums[band] ?? 0) + value;
          if (x === width - 1 && y === height - 1) last[band] = value;
        }
      }
    }
  }
  return { sums, last };
};

describe('a file of GDAL', () => {
  it.each(readable.map((file) => [file.name, file] as const))('%s has its samples', (_, file) => {
    const { sums, last } = samplesOf(file);
    expect(sums).toEqual(file.sums);
    expect(last).toEqual(file.last);
  });

  it.each(placed.map((file) => [file.name, file] as const))('%s is verified', (_, file) => {
    const { problem, image, preview } = endOf(file);
    expect(problem).toBeNull();
    const { width, height, bands, dataType, noData } = file;
    expect(image).toMatchObject({ width, height, bands, dataType, noData });
    expect(image?.place?.epsg).toBe(file.epsg);
    for (const [n, value] of (image?.place?.transform ?? []).entries()) {
      expect(value).toBeCloseTo(file.transform[n] ?? NaN, 9);
    }
    const png = PNG.sync.read(Buffer.from(preview ?? []));
    expect(Math.max(png.width, png.height)).toBe(Math.min(512, Math.max(width, height)));
  });

  it.each(placed.map((file) => [file.name, file] as const))('%s lies there', (_, file) => {
    const footprint = endOf(file).image?.place?.footprint;
    if (!footprint || footprint.type === 'Point') throw new Error('no footprint');
    const rings = footprint.type === 'Polygon' ? [footprint.coordinates] : footprint.coordinates;
    const positions = rings.flat(2);
    for (const [longitude, latitude] of file.corners ?? []) {
      const apart = positions.map(([x, y]) => {
        const around = Math.abs(((x - longitude + 540) % 360) - 180);
        return Math.max(around, Math.abs(y - latitude));
      });
      expect(Math.min(...apart)).toBeLessThan(1e-6);
    }
  });

  it.each(Object.entries(PROBLEMS))('%s is not verified: %s', (name, code) => {
    expect(endOf(fileOf(name)).problem).toMatchObject({ code });
  });

  it('is cut at the antimeridian', () => {
    const { footprint, bbox } = endOf(fileOf('antimeridian')).image?.place ?? {};
    expect(footprint?.type).toBe('MultiPolygon');
    expect(bbox).toEqual([179.95, -16.06, -179.97, -16]);
    expect(endOf(fileOf('antimeridian-utm')).image?.place?.footprint.type).toBe('MultiPolygon');
    const earth = endOf(fileOf('whole-earth')).image?.place;
    expect(earth?.bbox).toEqual([-180, -90, 180, 90]);
  });

  it('has the pixels of its preview', () => {
    const { preview } = endOf(fileOf('stripped'));
    const { data } = PNG.sync.read(Buffer.from(preview ?? []));
    const { last } = fileOf('stripped');
    expect([...data.subarray(-4)]).toEqual([...last, 255]);
  });

  it.each([
    ['stripped', 10],
    ['rotated', 10],
    ['tiled-lzw-south', 30],
    // 100 m of Mercator at 47.4° are 67.7 m, and a thousandth of a degree at 48° is 91 m.
    ['packbits-mercator', 67.8],
    ['tiled-deflate', 91.1],
  ])('%s has pixels of %d m', (name, metres) => {
    expect(endOf(fileOf(name)).image?.place?.resolutionM).toBeCloseTo(metres, 0);
  });

  it.each([
    ['cloud-optimised', true],
    ['no-overviews', false],
  ])('%s: optimised for reading over a network is %s', (name, cloudOptimised) => {
    expect(endOf(fileOf(name)).image).toMatchObject({ cloudOptimised, layout: 'tiled' });
  });

  it('is a BigTIFF, and has its time', () => {
    const dateTime = '2026-11-20T10:30:00.000Z';
    expect(endOf(fileOf('big-tiff')).image).toMatchObject({ bigTiff: true, dateTime });
  });
});
