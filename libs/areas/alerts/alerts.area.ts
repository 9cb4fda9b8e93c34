import { alertEvents } from '#events/alerts/alert.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { accountAlerts } from '#projections/alerts/account-alerts.projection.js';
import { alertRaised } from './alert-raised.notification.js';
import { AlertWatch } from './alert-watch.js';
import { AlertsModule } from './alerts.module.js';
import { alertSettings } from './alerts.settings.js';

export const alertsArea = defineArea({
  name: 'alerts',
  description: 'Messages before the money of an account ends, and about unusual charges.',
  events: alertEvents,
  projections: [accountAlerts],
  settings: [alertSettings],
  leaderServices: [AlertWatch],
  notifications: [alertRaised],
  module: AlertsModule,
});
