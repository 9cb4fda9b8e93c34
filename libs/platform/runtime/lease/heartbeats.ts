/** The checkpoint whose position is the number of renewals, of all holders together. */
export const HEARTBEATS = 'lease.readers';
