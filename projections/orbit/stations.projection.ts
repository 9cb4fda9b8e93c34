import {
  type StationEvent,
  StationRegistered,
  StationRetired,
} from '#events/orbit/orbit.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface Station extends Omit<StationRegistered['data'], 'registeredAt'> {
  /** Null for a station that ships with Quipu. */
  readonly registeredAt: string | null;
}

/** Null before its registration. */
export interface StationDocument {
  readonly station: Station | null;
}

const ID_DIGITS = 10;

/** Keys order by id. */
export const stationKey = (stationId: number): string => String(stationId).padStart(ID_DIGITS, '0');

/** Which stations are registered? */
export const stations: Projection<StationEvent, StationDocument> = {
  name: 'orbit-stations',
  version: 1,
  on: { StationRegistered, StationRetired },
  keys: ({ data }) => [stationKey(data.stationId)],
  initial: () => ({ station: null }),
  project: ({ type, data }) => {
    switch (type) {
      case 'StationRegistered':
        return { station: data };
      case 'StationRetired':
        return null;
    }
  },
};
