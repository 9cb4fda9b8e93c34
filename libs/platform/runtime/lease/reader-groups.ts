import { createHash } from 'node:crypto';
import { LeaseName } from '#events/platform/lease.events.js';

/** Readers that one process runs at a time, under one lease. */
export type ReaderGroup = LeaseName;

export const READER_GROUPS: readonly ReaderGroup[] = LeaseName.options;

const PROJECTION_GROUPS = READER_GROUPS.filter((group) => group !== 'reactions');

/**
 * The group of a projection depends on its name alone, so that all builds agree. Tokens of two
 * groups cannot be compared: a projection that changed its group would be fenced off.
 */
export const groupOf = (projection: string): ReaderGroup => {
  const hash = createHash('sha256').update(projection).digest().readUInt32BE();
  return PROJECTION_GROUPS[hash % PROJECTION_GROUPS.length] ?? 'reactions';
};

/** Has the holder of the lease. */
export const leaseStreamOf = (group: ReaderGroup): string => `lease-${group}`;

/** Checkpoints that are no places in the log begin so. */
const COUNTS = 'lease.';

/** The checkpoint whose position is the number of renewals, of all holders together. */
export const heartbeatsOf = (group: ReaderGroup): string => `${COUNTS}${group}`;

/** The checkpoint whose position numbers the requests for a share of the groups. */
export const SHARE_REQUESTS = `${COUNTS}requests`;

/** Whether the position of a checkpoint is a count, and no place in the log. */
export const isCount = (checkpoint: string): boolean => checkpoint.startsWith(COUNTS);
