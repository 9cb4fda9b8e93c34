import { createHash } from 'node:crypto';

const HASH_CHARACTERS = 16;

/**
 * The name of a worker's rig unless its operator gives another: a worker may be named after its
 * host, so the log and callers know it by a hash.
 */
export const rigNameOf = (worker: string): string =>
  `worker-${createHash('sha256').update(worker).digest('hex').slice(0, HASH_CHARACTERS)}`;
