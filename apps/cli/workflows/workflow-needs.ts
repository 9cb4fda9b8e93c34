/** The areas that the commands of workflows compose. */
export const WORKFLOW_NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'workflows'],
  installation: 'exists',
  projections: [],
} as const;
