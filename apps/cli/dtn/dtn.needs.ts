import { type CommonOptions } from '../invocation.js';

export const DTN_NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'dtn', 'orbit'],
  installation: 'exists',
} as const;

/** A page of something that an account has. */
export interface ListOfAccountOptions extends CommonOptions {
  readonly user: string;
  readonly page: number;
}

export const LIST_LIMIT = 50;
