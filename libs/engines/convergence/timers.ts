import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '#platform/kernel/clock.js';

/** The time of links and contacts. Tests let a day pass in a second. */
export interface Timers extends Clock {
  /** Resolves after the time, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A timer of Node counts to 2^31 - 1 milliseconds. */
const WAIT_MS_MAX = 2_147_483_647;

export const systemTimers: Timers = {
  ...systemClock,
  wait: (ms, signal) =>
    sleep(Math.min(Math.max(0, ms), WAIT_MS_MAX), undefined, { signal }).catch(() => undefined),
};
