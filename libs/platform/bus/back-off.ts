import { type BackOff } from '#platform/kernel/back-off.js';

/** The pauses between attempts at a message, and between all other retries of the bus. */
export const BUS_BACK_OFF: BackOff = { firstMs: 100, maxMs: 10_000, jitter: 0.5 };
