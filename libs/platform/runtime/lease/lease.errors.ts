import { type LeaseErrorCode } from './lease.decider.js';

/** The HTTP status of each domain error of the lease. No route takes a lease. */
export const leaseErrors = {
  lease_taken: { status: 409 },
} as const satisfies Readonly<Record<LeaseErrorCode, { readonly status: number }>>;
