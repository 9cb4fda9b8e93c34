import { type Logger } from 'pino';
import { isShared, type Settings } from '../composition/settings.js';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.process.js';

export type Standalone = Gateway;

/**
 * Gateway, projections and sagas in one process. Processes on the same read models compete for the
 * lease of the projections.
 */
export const startStandalone = (
  settings: Settings,
  logger: Logger,
  options: Omit<GatewayOptions, 'subscriptions'> = {},
): Promise<Standalone> =>
  startGateway(settings, logger, {
    ...options,
    subscriptions: isShared(settings) ? 'under-lease' : 'here',
  });
