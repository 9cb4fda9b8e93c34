import { adaptersOfAccount } from '#projections/adapters/adapters-of-account.projection.js';

/** The areas that the commands of adapters compose. */
export const ADAPTER_NEEDS = {
  areas: ['identity', 'billing', 'adapters'],
  installation: 'exists',
  projections: [adaptersOfAccount],
} as const;
