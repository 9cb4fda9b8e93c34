import { type Logger } from 'pino';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { isShared, type Settings } from '../composition/settings.js';
import { type Gateway, startGateway } from '../gateway/start/gateway.process.js';

export type Standalone = Gateway;

/**
 * Gateway, projections and sagas in one process. Beside others on the same read models it takes its
 * turn at running projections and sagas.
 */
export const startStandalone = (
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<Standalone> =>
  startGateway(settings, logger, isShared(settings) ? 'under-lease' : 'here', clock);
