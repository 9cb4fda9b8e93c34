import { satellites } from '#projections/orbit/satellites.projection.js';
import { stations } from '#projections/orbit/stations.projection.js';

export const ORBIT_NEEDS = {
  areas: ['orbit'],
  installation: 'exists',
  projections: [stations, satellites],
} as const;
