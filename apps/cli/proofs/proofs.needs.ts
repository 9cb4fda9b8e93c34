import { proofKeys } from '#projections/proofs/proof-keys.projection.js';

export const PROOFS_NEEDS = {
  areas: ['billing', 'catalog', 'audit', 'proofs'],
  installation: 'exists',
  projections: [proofKeys],
} as const;
