/** The log of the area `audit` names its key in each root. */
export const PACKAGES_NEEDS = {
  areas: ['packages', 'audit', 'billing', 'catalog', 'inference', 'jobs'],
  installation: 'exists',
  projections: [],
} as const;
