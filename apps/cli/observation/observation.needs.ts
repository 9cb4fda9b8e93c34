export const OBSERVATION_NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'orbit', 'observation'],
  installation: 'exists',
} as const;
