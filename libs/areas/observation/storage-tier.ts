import { type Observation } from '#projections/observation/observations.projection.js';

const DAY_MS = 86_400_000;
export const HOT_DAYS = 30;
export const COLD_DAYS = 365;
export const HOT_BYTES_MAX = 16_777_216;

/**
 * The written policy: cold from a year after the acquisition on, hot for a small image in the first
 * 30 days, else warm. It is decided at the ingest, and kept.
 */
export const storageTierOf = (
  acquiredAt: string,
  ingestedAt: string,
  bytes: number,
): Observation['storageTier'] => {
  const days = (Date.parse(ingestedAt) - Date.parse(acquiredAt)) / DAY_MS;
  if (days >= COLD_DAYS) return 'cold';
  return days < HOT_DAYS && bytes <= HOT_BYTES_MAX ? 'hot' : 'warm';
};
