/** The areas that the commands of workflows compose. */
export const WORKFLOW_NEEDS = {
  areas: ['identity', 'billing', 'workflows'],
  installation: 'exists',
  projections: [],
} as const;
