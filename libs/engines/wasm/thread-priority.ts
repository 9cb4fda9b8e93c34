import { existsSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import path from 'node:path';

const THREAD = '/proc/thread-self';

/**
 * Below the event loop of the process. Linux has a priority for each thread, and this file names
 * the one that asks: `1234/task/1240`. Without it the thread keeps its priority.
 */
export const lowerOwnPriority = (): void => {
  if (!existsSync(THREAD)) return;
  const thread = Number(path.basename(readlinkSync(THREAD)));
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  if (getPriority(thread) < PRIORITY_BELOW_NORMAL) setPriority(thread, PRIORITY_BELOW_NORMAL);
};
