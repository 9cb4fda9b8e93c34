import { type Station } from '#projections/orbit/stations.projection.js';

/** So that a new installation has passes. Ids are 1, 2, …; registered stations come after. */
export const BUILT_IN_STATIONS: readonly Station[] = [
  {
    stationId: 1,
    name: 'Royal Observatory, Greenwich',
    latitudeDeg: 51.4769,
    longitudeDeg: 0,
    heightM: 46,
    minElevationDeg: 10,
    registeredAt: null,
  },
];
