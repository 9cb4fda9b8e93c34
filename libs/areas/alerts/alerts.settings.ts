import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface AlertSettings {
  readonly pollMs: number;
  /** How long a rig is down before an alert says so. */
  readonly rigDownMs: number;
}

export const ALERT_SETTINGS = Symbol('AlertSettings');

export const alertSettings = defineSettings({
  token: ALERT_SETTINGS,
  variables: {
    QUIPU_ALERT_SECONDS: variable(
      wholeNumber(1, 3_600).default(60),
      'how often the rules of alerts are compared with balances, charges, keys and rigs',
    ),
    QUIPU_ALERT_RIG_SECONDS: variable(
      wholeNumber(1, 86_400).default(300),
      'how long a rig is down before an alert says so',
    ),
  },
  read: (values): AlertSettings => ({
    pollMs: values.QUIPU_ALERT_SECONDS * 1_000,
    rigDownMs: values.QUIPU_ALERT_RIG_SECONDS * 1_000,
  }),
});
