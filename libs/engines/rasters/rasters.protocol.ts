import { type Geometry, type Region } from './geo/geometry.js';
import { type Problem } from './rasters.errors.js';

/** Of a payload as it came, and after its decompression. */
export const CONTENT_BYTES_MAX = 67_108_864;
/** The samples of an image, of whole tiles and strips. */
export const DECODED_BYTES_MAX = 268_435_456;
/** The longer side of a preview. */
export const PREVIEW_PIXELS = 512;

export interface RasterTask {
  readonly payload: Uint8Array;
  /** Null: none, or a text that is not checked. */
  readonly region: Region | null;
}

export interface RasterImage {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  /** As STAC names it, such as `uint16`. */
  readonly dataType: string;
  readonly compression: string;
  readonly layout: 'stripped' | 'tiled';
  readonly bigTiff: boolean;
  /** Reduced images for smaller scales. */
  readonly overviews: number;
  readonly cloudOptimised: boolean;
  readonly noData: number | null;
  /** When the file was made, as it says, in ISO 8601; UTC is assumed, since TIFF has no zone. */
  readonly dateTime: string | null;
  /** Null: the file has no place on the Earth, or one in a system that is not known here. */
  readonly place: RasterPlace | null;
}

export interface RasterPlace {
  readonly epsg: number;
  /** Of a pixel on the ground: the side of a square of its area. */
  readonly resolutionM: number;
  /** From column and row to the coordinates of the system, row by row. */
  readonly transform: readonly [number, number, number, number, number, number];
  readonly footprint: Geometry;
  /** West, south, east, north in degrees; west is above east over the antimeridian. */
  readonly bbox: readonly [number, number, number, number];
}

export interface RasterEnd {
  /** Of the content. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly compression: 'none' | 'gzip' | 'zlib';
  /** After decompression. */
  readonly content: Uint8Array;
  /** Payload, decompressed content and decoded samples together. */
  readonly bytesRead: number;
  /** The description of a TIFF, also of one that is not verified. */
  readonly image: RasterImage | null;
  /** A PNG; null where the samples cannot be read. */
  readonly preview: Uint8Array | null;
  /** Null: verified. */
  readonly problem: { readonly code: Problem; readonly detail: string } | null;
}
