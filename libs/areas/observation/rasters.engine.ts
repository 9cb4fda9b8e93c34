import { type RasterEnd, type RasterTask } from '#engines/rasters/rasters.protocol.js';

/** Geometries are small and synchronous; images are read on a thread. */
export { boxGeometry, type Geometry, intersects } from '#engines/rasters/geo/geometry.js';
export { readRegion, RegionError } from '#engines/rasters/geo/region.js';
export { RastersError } from '#engines/rasters/rasters.errors.js';
export {
  CONTENT_BYTES_MAX,
  DECODED_BYTES_MAX,
  type RasterEnd,
} from '#engines/rasters/rasters.protocol.js';

export interface OpenRastersEngine {
  run(task: RasterTask, signal: AbortSignal): Promise<RasterEnd>;
  close(): Promise<void>;
}

/** Loaded on first use. It is no task: images go to no worker. */
export const openRastersEngine = async (): Promise<OpenRastersEngine> => {
  const { RastersEngine } = await import('#engines/rasters/rasters.engine.js');
  return new RastersEngine();
};
