import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface AlertSettings {
  readonly pollMs: number;
}

export const ALERT_SETTINGS = Symbol('AlertSettings');

export const alertSettings = defineSettings({
  token: ALERT_SETTINGS,
  variables: {
    QUIPU_ALERT_SECONDS: variable(
      wholeNumber(1, 3_600).default(60),
      'how often the rules of alerts are compared with balances and charges',
    ),
  },
  read: ({ QUIPU_ALERT_SECONDS: seconds }): AlertSettings => ({ pollMs: seconds * 1_000 }),
});
