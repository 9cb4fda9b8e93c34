import { liveEvents } from '#events/live/live.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { liveErrors } from './live.errors.js';
import { liveFailures } from './live.failures.js';
import { LiveModule } from './live.module.js';
import { liveProduct } from './live.product.js';
import { liveSettings } from './live.settings.js';
import { ChargeSessionCommand, LapseSessionCommand } from './session/session-life.handlers.js';
import { sessionLifeSaga } from './session/session-life.saga.js';

export const liveArea = defineArea({
  name: 'live',
  description: 'Stream sessions over WebRTC, and their frames.',
  module: LiveModule,
  events: liveEvents,
  sagas: [
    deploySaga(sessionLifeSaga, {
      LapseSession: ({ sessionId }, context) => new LapseSessionCommand(sessionId, context),
      ChargeSession: ({ sessionId }, context) => new ChargeSessionCommand(sessionId, context),
    }),
  ],
  products: [liveProduct],
  errors: liveErrors,
  failures: liveFailures,
  settings: [liveSettings],
});
