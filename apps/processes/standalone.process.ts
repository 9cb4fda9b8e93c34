import { type Logger } from 'pino';
import { isShared, type Settings } from '../composition/settings.js';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.process.js';

export type Standalone = Gateway;

export interface StandaloneOptions extends Omit<GatewayOptions, 'subscriptions'> {
  /** Where projections and sagas run. Default: on the main thread. */
  readonly projector?: 'in-thread' | 'here';
}

/**
 * Gateway, projections and sagas in one process. Processes on the same read models compete for the
 * lease of the projections; their projections run on the main thread.
 */
export const startStandalone = (
  settings: Settings,
  logger: Logger,
  { projector = 'here', ...options }: StandaloneOptions = {},
): Promise<Standalone> =>
  startGateway(settings, logger, {
    ...options,
    subscriptions: isShared(settings) ? 'under-lease' : projector,
  });
