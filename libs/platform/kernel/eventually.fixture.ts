import { setTimeout as sleep } from 'node:timers/promises';

/** It ends a test that would hang. Machines of any speed are far below it. */
const WITHIN_MS = 120_000;

/** Pauses between looks: short for a loop of this process, then long for other processes. */
const FIRST_PAUSE_MS = 5;
const PAUSE_MS_MAX = 50;

/**
 * Polls a condition that changes in another loop or process.
 * @throws Error unless it holds in time
 */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; !(await condition());) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${withinMs} ms`);
    await sleep(pauseMs);
    pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs);
  }
};
