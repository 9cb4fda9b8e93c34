import { Module } from '@nestjs/common';
import { alertEvents } from '#events/alerts/alert.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { AlertWatch } from './alert-watch.js';
import { alertsDecider } from './alerts.decider.js';
import { type AlertRunner, ALERTS, AlertsHandler, ChangeAlertsHandler } from './alerts.handlers.js';
import { DownRigs } from './down-rigs.js';
import { EndingKeys } from './ending-keys.js';

const alerts = {
  provide: ALERTS,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): AlertRunner =>
    new CommandRunner({ decider: alertsDecider, eventStore, codec: codec.for(alertEvents) }),
};

@Module({
  providers: [alerts, DownRigs, EndingKeys, AlertWatch, ChangeAlertsHandler, AlertsHandler],
  exports: [AlertWatch],
})
export class AlertsModule {}
