import { alertEvents } from '#events/alerts/alert.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { accountAlerts } from '#projections/alerts/account-alerts.projection.js';
import { alertRaised } from './alert-raised.notification.js';
import { AlertWatch } from './alert-watch.js';
import { alertsErrors } from './alerts.errors.js';
import { AlertsModule } from './alerts.module.js';
import { alertSettings } from './alerts.settings.js';

export const alertsArea = defineArea({
  name: 'alerts',
  description:
    'Messages before money and keys end, about unusual charges, and about rigs that are down.',
  events: alertEvents,
  projections: [accountAlerts],
  settings: [alertSettings],
  leaderServices: [AlertWatch],
  notifications: [alertRaised],
  errors: alertsErrors,
  module: AlertsModule,
});
