import { createHash } from 'node:crypto';

const HASH_CHARACTERS = 16;
/** 48 bits: an integer in every language, and no two of ten thousand rigs share one. */
const NUMBER_BYTES = 6;

/**
 * The name of a worker's rig unless its operator gives another: a worker may be named after its
 * host, so the log and callers know it by a hash.
 */
export const rigNameOf = (worker: string): string =>
  `worker-${createHash('sha256').update(worker).digest('hex').slice(0, HASH_CHARACTERS)}`;

/** The integer id of a rig. It follows from its name, so it is the same in every process. */
export const rigNumberOf = (rig: string): number =>
  createHash('sha256').update(rig).digest().readUIntBE(0, NUMBER_BYTES);
