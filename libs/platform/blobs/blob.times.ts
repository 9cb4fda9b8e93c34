import { BLOB_KEPT_MS } from './blobs.port.js';

export interface BlobTimes {
  /** How long an unreferenced blob is kept after it was put. */
  readonly keptMs: number;
  /** A sweep gives up on a blob when this long has passed since it condemned it. */
  readonly condemnedMs: number;
  /** A blob that stays condemned for this long was left so by a sweep that was killed. */
  readonly abandonedMs: number;
}

/** A removal that was sent has 30 seconds to end before a put takes its sweep for dead. */
export const BLOB_TIMES: BlobTimes = {
  keptMs: BLOB_KEPT_MS,
  condemnedMs: 30_000,
  abandonedMs: 60_000,
};
