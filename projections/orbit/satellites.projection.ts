import { ElementsImported } from '#events/orbit/orbit.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface SatelliteElements extends Omit<ElementsImported['data'], 'importedAt'> {
  /** Null for elements that ship with Quipu. */
  readonly importedAt: string | null;
}

/** Null before the first import. */
export interface SatelliteDocument {
  readonly satellite: SatelliteElements | null;
}

const ID_DIGITS = 9;

/** Keys order by id. */
export const satelliteKey = (satelliteId: number): string =>
  String(satelliteId).padStart(ID_DIGITS, '0');

/** Which elements of each satellite are in force? */
export const satellites: Projection<ElementsImported, SatelliteDocument> = {
  name: 'orbit-satellites',
  version: 1,
  on: { ElementsImported },
  keys: ({ data }) => [satelliteKey(data.satelliteId)],
  initial: () => ({ satellite: null }),
  project: ({ data }) => ({ satellite: data }),
};
