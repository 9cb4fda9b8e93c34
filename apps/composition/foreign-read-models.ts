import { describeForeign, LogTrust } from '#platform/runtime/subscriptions/log-trust.js';
import { type OpenEngines } from './engines.js';

/**
 * Before a server starts: embedded read models that are not of the log, because one of the two was
 * restored or exchanged, are emptied, and rebuild from the log. With stores on servers nothing is
 * deleted: the process refuses to use them, and readiness says why.
 */
export const clearForeignReadModels = async ({
  eventStore,
  readStore,
  clearReadModels,
  logger,
}: Pick<OpenEngines, 'eventStore' | 'readStore' | 'clearReadModels' | 'logger'>): Promise<void> => {
  if (clearReadModels === null) return;
  const trust = new LogTrust(eventStore, readStore);
  for (;;) {
    const foreign = await trust.findForeign();
    if (foreign === null) return;
    // False where another process was faster; then the checkpoints are others by now.
    if (!(await clearReadModels(foreign.checkpoint))) continue;
    logger.warn({ reason: describeForeign(foreign) }, 'the read models are rebuilt from the log');
  }
};
