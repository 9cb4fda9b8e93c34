import { type BackOff } from '#platform/kernel/back-off.js';

/** Between the attempts at a message, and at whatever else the bus tries again. */
export const BUS_BACK_OFF: BackOff = { firstMs: 100, maxMs: 10_000, jitter: 0.5 };
